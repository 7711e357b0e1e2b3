# Builds the library, the emitters and the fuzz targets with clang's libFuzzer and sanitizers, below fuzz/ of the build folder, and runs each
# target. `make fuzz` calls it with the lists of sources; FUZZ_TIME is in seconds for each target, FUZZ_TARGETS chooses some. What a target
# finds is left in fuzz/TARGET-crash-*; its corpus grows in fuzz/corpus/TARGET.
FUZZ_CC ?= clang
FUZZ_TIME ?= 60
FUZZ_FLAGS = -g -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
# Small chunks and batches: more borders, and no time for memory that small inputs do not use. AT_ONCE: see tests/fuzz/fuzz_emit.c.
FUZZ_LIMITS = -DPD_CHUNK_SIZE=8192u -DBATCH_RECORDS=256u -DMIN_RUN_BYTES=2000u -DLEAST_LEFT_OUT=64u -DSTART_SIZE=64u -DLEAST_START=64u -DAHEAD_FROM=2 -DAT_ONCE=2u
FUZZ_ARGUMENTS = -timeout=20 -rss_limit_mb=1024 -max_len=$(if $(filter fuzz_elf fuzz_trace fuzz_rewrite,$*),32768,8192) -entropic=0
export ASAN_OPTIONS ?= detect_leaks=0:malloc_context_size=6:quarantine_size_mb=16:allocator_release_to_os_interval_ms=-1
out = fuzz

objects = $(patsubst %.c,$(out)/%.o,$(filter %.c,$(LIB_SOURCES)))
programs = $(patsubst tests/fuzz/%,$(out)/%,$(FUZZ_TARGETS))

run: $(patsubst $(out)/%,run-%,$(programs))

.SECONDARY:

# Comparisons are not traced where there are many and none helps the fuzzer.
$(out)/lib/reader/salvage.o $(out)/lib/base/%.o $(out)/lib/text/%.o $(out)/tests/fuzz/%.o: FUZZ_FLAGS += -fno-sanitize-coverage=trace-cmp

$(out)/%.o: $(SRC)/%.c
	@mkdir -p $(dir $@)
	@echo "  FUZZ_CC  $*.o"
	@$(FUZZ_CC) -std=gnu11 $(FUZZ_FLAGS) $(FUZZ_LIMITS) -MMD -MP -DHAVE_CONFIG_H -I. -I$(SRC)/lib -I$(SRC)/tests/support $(FUZZ_CPPFLAGS) -c -o $@ $<

# What the build made
$(out)/%.o: %.c
	@mkdir -p $(dir $@)
	@echo "  FUZZ_CC  $*.o"
	@$(FUZZ_CC) -std=gnu11 $(FUZZ_FLAGS) -MMD -MP -DHAVE_CONFIG_H -I. -I$(SRC)/lib -c -o $@ $<

# Those that read whole recordings
$(out)/fuzz_reader $(out)/fuzz_session $(out)/fuzz_emit $(out)/fuzz_rewrite: $(out)/tests/fuzz/fuzz_mutate.o

$(out)/fuzz_%: $(out)/tests/fuzz/fuzz_%.o $(objects)
	@$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ $(FUZZ_LIBS)

$(out)/seeds/.done: $(SRC)/tests/fuzz/fuzz_seeds.py
	@python3 $(SRC)/tests/fuzz/fuzz_seeds.py $(SRC) $(out)/seeds && touch $@

# Leaks are looked for by the replay of `make check`; here they would only cost time.
run-%: $(out)/% $(out)/seeds/.done
	@mkdir -p $(out)/corpus/$*
	@test -d $(out)/seeds/$* || mkdir -p $(out)/seeds/$*
	$(out)/$* -max_total_time=$(FUZZ_TIME) $(FUZZ_ARGUMENTS) $(patsubst %,-dict=%,$(wildcard $(SRC)/tests/fuzz/$*.dict)) -artifact_prefix=$(out)/$*- -print_final_stats=1 -verbosity=0 $(out)/corpus/$* $(out)/seeds/$*

# What the seeds and the corpus reach: a build without sanitizers, in $(out)/coverage. coverage/summary has the lines of lib/,
# coverage/missed the functions that no target comes to.
cov = $(out)/coverage
binaries = $(patsubst $(out)/%,$(cov)/%,$(firstword $(programs))) $(patsubst $(out)/%,-object $(cov)/%,$(wordlist 2,99,$(programs)))
covered = $(abspath $(wildcard $(SRC)/lib/*/*.c $(SRC)/lib/*/*/*.c $(SRC)/lib/*/*/*/*.c))
coverage: $(out)/seeds/.done
	$(MAKE) -f $(SRC)/tests/fuzz/fuzz.mk out=$(cov) FUZZ_FLAGS='-g -O1 -fprofile-instr-generate -fcoverage-mapping -fsanitize=fuzzer-no-link' \
	  $(patsubst $(out)/%,$(cov)/%,$(programs))
	@rm -f $(cov)/*.profraw
	for p in $(notdir $(programs)); do \
	  mkdir -p $(out)/corpus/$$p $(out)/seeds/$$p; \
	  LLVM_PROFILE_FILE=$(cov)/$$p.profraw $(cov)/$$p -runs=0 -max_len=32768 -verbosity=0 $(out)/corpus/$$p $(out)/seeds/$$p $(FUZZ_MORE:%=%/$$p) || exit 1; \
	done
	llvm-profdata merge -o $(cov)/all.profdata $(cov)/*.profraw
	llvm-cov report -instr-profile=$(cov)/all.profdata $(binaries) $(covered) \
	  > $(cov)/summary
	llvm-cov report -show-functions -instr-profile=$(cov)/all.profdata $(binaries) \
	  $(covered) > $(cov)/functions
	awk '/^File/ { file = $$2 } $$4 == "0.00%" && !/^TOTAL/ { print file, $$1 }' $(cov)/functions > $(cov)/missed
	@tail -1 $(cov)/summary

-include $(wildcard $(out)/*/*.d $(out)/*/*/*.d)
