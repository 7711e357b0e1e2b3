/* Four functions that call each other: _start, outer, middle, leaf; frames of different shapes, described by call frame information.
 * The section .returns has the addresses that leaf, middle and outer return to. Nothing of it is ever run.
 *
 *	for one in aarch64:aarch64-linux-gnu arm:armv7-linux-gnueabi i386:i386-linux-gnu x86_64:x86_64-linux-gnu; do
 *		clang --target=${one#*:} -c frames.S -o frames.o && ld.lld -static -z separate-code -z max-page-size=4096 --build-id=sha1 frames.o -o ${one%%:*}
 *	done
 * x86_64-indexed is x86_64 linked with --eh-frame-hdr, as compilers link programs. arm-exidx and thumb-exidx have the exception index instead
 * (-DEXIDX, the second with -mthumb).
 */
#define START .cfi_startproc
#define END .cfi_endproc
#define FUNCTION
#if defined(__aarch64__)
# define WORD .quad
# define CALL bl
# define RETURN ret
# define NO_CALLER .cfi_undefined x30
# define OUTER_FRAME stp x29, x30, [sp, #-32]! ; .cfi_def_cfa_offset 32 ; .cfi_offset x29, -32 ; .cfi_offset x30, -24
# define OUTER_END ldp x29, x30, [sp], #32 ; .cfi_def_cfa_offset 0
# define MIDDLE_FRAME sub sp, sp, #64 ; .cfi_def_cfa_offset 64 ; str x30, [sp, #56] ; .cfi_offset x30, -8
# define MIDDLE_END ldr x30, [sp, #56] ; add sp, sp, #64 ; .cfi_def_cfa_offset 0
#elif defined(__arm__)
	.syntax unified
# ifdef __thumb__
	.thumb
#  undef FUNCTION
#  define FUNCTION .thumb_func
# endif
# ifndef EXIDX
	.cfi_sections .debug_frame
# endif
# define WORD .long
# define CALL bl
# define RETURN bx lr
# ifdef EXIDX
#  undef START
#  undef END
#  define START .fnstart
#  define END .fnend
#  define NO_CALLER .cantunwind
#  ifdef __thumb__
#   define OUTER_FRAME push {r7, lr} ; .save {r7, lr} ; mov r7, sp ; .setfp r7, sp
#   define OUTER_END pop {r7, lr}
#  else
#   define OUTER_FRAME push {r11, lr} ; .save {r11, lr}
#   define OUTER_END pop {r11, lr}
#  endif
/* a routine of its own, so the instructions for unwinding are in .ARM.extab */
#  define MIDDLE_FRAME push {lr} ; .save {lr} ; sub sp, sp, #20 ; .pad #20 ; .personality _start ; .handlerdata ; .text
	.globl __aeabi_unwind_cpp_pr0
	.set __aeabi_unwind_cpp_pr0, _start
#  define MIDDLE_END add sp, sp, #20 ; pop {lr}
# else
# define NO_CALLER .cfi_undefined lr
# define OUTER_FRAME push {r11, lr} ; .cfi_def_cfa_offset 8 ; .cfi_offset r11, -8 ; .cfi_offset lr, -4
# define OUTER_END pop {r11, lr} ; .cfi_def_cfa_offset 0
# define MIDDLE_FRAME sub sp, sp, #24 ; .cfi_def_cfa_offset 24 ; str lr, [sp, #20] ; .cfi_offset lr, -4
# define MIDDLE_END ldr lr, [sp, #20] ; add sp, sp, #24 ; .cfi_def_cfa_offset 0
# endif
#elif defined(__i386__)
# define WORD .long
# define CALL call
# define RETURN ret
# define NO_CALLER .cfi_undefined eip
# define OUTER_FRAME pushl %ebp ; .cfi_def_cfa_offset 8 ; .cfi_offset ebp, -8 ; movl %esp, %ebp ; .cfi_def_cfa_register ebp
# define OUTER_END popl %ebp ; .cfi_def_cfa esp, 4
# define MIDDLE_FRAME subl $28, %esp ; .cfi_adjust_cfa_offset 28
# define MIDDLE_END addl $28, %esp ; .cfi_adjust_cfa_offset -28
#else
# define WORD .quad
# define CALL call
# define RETURN ret
# define NO_CALLER .cfi_undefined rip
# define OUTER_FRAME pushq %rbp ; .cfi_def_cfa_offset 16 ; .cfi_offset rbp, -16 ; movq %rsp, %rbp ; .cfi_def_cfa_register rbp
# define OUTER_END popq %rbp ; .cfi_def_cfa rsp, 8
# define MIDDLE_FRAME subq $56, %rsp ; .cfi_adjust_cfa_offset 56
# define MIDDLE_END addq $56, %rsp ; .cfi_adjust_cfa_offset -56
#endif

	.text
	.globl _start
	.type _start, %function
	FUNCTION
_start:
	START
	NO_CALLER
	CALL outer
1:	nop
	END
	.size _start, . - _start

	.type outer, %function
	FUNCTION
outer:
	START
	OUTER_FRAME
	CALL middle
2:	OUTER_END
	RETURN
	END
	.size outer, . - outer

	.type middle, %function
	FUNCTION
middle:
	START
	MIDDLE_FRAME
	CALL leaf
3:	MIDDLE_END
	RETURN
	END
	.size middle, . - middle

	.type leaf, %function
	FUNCTION
leaf:
	START
	nop
	nop
	RETURN
	END
	.size leaf, . - leaf

	.section .returns, "a"
	WORD 3b, 2b, 1b

	.section .note.GNU-stack, "", %progbits
