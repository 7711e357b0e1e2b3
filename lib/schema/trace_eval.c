/* SPDX-License-Identifier: MIT */
/* Evaluates expressions as libtraceevent does: 64 bits, unsigned, fields without their sign. */
#include "base/checked.h"
#include "base/cursor.h"
#include "schema/trace_program.h"

static uint64_t load_number(struct pd_trace_run *run, uint64_t offset, uint32_t size)
{
	if (!pd_range_ok(offset, size, run->raw.size)) {
		run->damaged = true;
		return 0;
	}
	return pd_trace_integer(run->raw.data + offset, size, run->swap);
}

bool pd_trace_dynamic(struct pd_trace_run *run, const struct perfdata_trace_field *field, struct perfdata_bytes *ret)
{
	if (!field || (field->place != PERFDATA_TRACE_DATA_LOC && field->place != PERFDATA_TRACE_REL_LOC))
		return false;
	if (pd_trace_locate(field, run->raw, run->swap, ret, NULL))
		return true;
	run->damaged = true;
	return false;
}

/* Returns the size of one element of an indexed field. */
static uint32_t element_bytes(const struct pd_trace_run *run, const struct perfdata_trace_field *field)
{
	if (field->element_size)
		return field->element_size;
	return field->size ? field->size : run->long_size;
}

/* Evaluates a[b]. The index of a dynamic array counts bytes, as in libtraceevent. */
static uint64_t eval_indexed(struct pd_trace_run *run, const struct pd_trace_node *node)
{
	const struct pd_trace_node *array = node->a;
	const uint64_t index = pd_trace_eval(run, node->b);
	uint64_t mask = UINT64_MAX, offset;

	if (array->type == PD_NODE_CAST) {
		mask = array->pointer_mask;
		while (array->type == PD_NODE_CAST)
			array = array->a;
	}
	if (!array->field)
		return 0;
	const uint32_t size = element_bytes(run, array->field);
	if (array->type == PD_NODE_DYNAMIC) {
		offset = load_number(run, array->field->offset, 4) & 0xffff;
		if (array->field->place == PERFDATA_TRACE_REL_LOC)
			offset += array->field->offset + array->field->size;
		if (!pd_add(offset, index, &offset))
			return 0;
	} else if (array->type == PD_NODE_FIELD) {
		if (!pd_mul(index, size, &offset) || !pd_add(offset, array->field->offset, &offset))
			return 0;
	} else {
		return 0;
	}
	return load_number(run, offset, size) & mask;
}

static uint64_t eval_operation(struct pd_trace_run *run, const struct pd_trace_node *node)
{
	if (node->op == PD_OP_CONDITION)
		return pd_trace_eval(run, pd_trace_eval(run, node->a) ? node->b->a : node->b->b);
	if (node->op == PD_OP_INDEX)
		return eval_indexed(run, node);

	const uint64_t left = pd_trace_eval(run, node->a), right = pd_trace_eval(run, node->b);
	switch (node->op) {
	case PD_OP_NOT: return !right;
	case PD_OP_COMPLEMENT: return ~right;
	case PD_OP_MULTIPLY: return left * right;
	case PD_OP_DIVIDE: return right ? left / right : 0;
	case PD_OP_REMAINDER: return right ? left % right : 0;
	case PD_OP_PLUS: return left + right;
	case PD_OP_MINUS: return left - right;
	case PD_OP_LEFT: return left << (right & 63);
	case PD_OP_RIGHT: return left >> (right & 63);
	case PD_OP_LESS: return left < right;
	case PD_OP_GREATER: return left > right;
	case PD_OP_LESS_EQUAL: return left <= right;
	case PD_OP_GREATER_EQUAL: return left >= right;
	case PD_OP_EQUAL: return left == right;
	case PD_OP_NOT_EQUAL: return left != right;
	case PD_OP_AND: return left & right;
	case PD_OP_OR: return left | right;
	case PD_OP_LOGICAL_AND: return left && right;
	case PD_OP_LOGICAL_OR: return left || right;
	default: return 0;  /* libtraceevent parses "^" but computes it only for constants */
	}
}

uint64_t pd_trace_compute(struct pd_trace_run *run, const struct pd_trace_node *node)
{
	switch (node->type) {
	case PD_NODE_ATOM:
		return node->number;
	case PD_NODE_FIELD:
		return node->field ? load_number(run, node->field->offset, node->field->size) : 0;
	case PD_NODE_CAST:
		return pd_trace_eval(run, node->a) & node->mask;
	case PD_NODE_DYNAMIC_LEN:
		return load_number(run, node->field->offset, node->field->size) >> 16;
	case PD_NODE_DYNAMIC:
		return load_number(run, node->field->offset, node->field->size) & 0xffff;
	case PD_NODE_OP:
		return eval_operation(run, node);
	default:
		return 0;
	}
}

bool pd_trace_mark_constants(struct pd_trace_node *node)
{
	struct pd_trace_run nothing = { .swap = false };
	const bool a = !node->a || pd_trace_mark_constants(node->a);
	const bool b = !node->b || pd_trace_mark_constants(node->b);
	const bool c = !node->c || pd_trace_mark_constants(node->c);
	const bool is_value = node->type == PD_NODE_ATOM || node->type == PD_NODE_NONE || node->type == PD_NODE_CAST ||
			      (node->type == PD_NODE_OP && node->op != PD_OP_INDEX && node->op != PD_OP_ALTERNATIVE);

	/* the node of the two alternatives is constant if both are */
	if (node->type == PD_NODE_OP && node->op == PD_OP_ALTERNATIVE)
		return a && b;
	if (!is_value || !a || !b || !c)
		return false;
	node->number = pd_trace_compute(&nothing, node);
	node->is_constant = true;
	return true;
}
