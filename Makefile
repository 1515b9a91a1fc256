# The front door; meson and ninja do the work. `make` builds, `make demo` tunes two kernels on this machine's GPU,
# `make check` runs every test. BUILD=dir builds elsewhere.
BUILD ?= build
PREFIX ?= /usr/local
MESON ?= meson
NINJA ?= ninja

.PHONY: all demo test check bench install clean format

all: $(BUILD)/build.ninja
	@$(NINJA) -C $(BUILD)

$(BUILD)/build.ninja:
	@tools/install-deps build
	@$(MESON) setup $(BUILD) --prefix $(PREFIX) >/dev/null || { $(MESON) setup $(BUILD) --prefix $(PREFIX); exit 1; }

demo:
	@tools/install-deps demo
	@$(MAKE) --no-print-directory all
	@tools/demo $(BUILD)/wgtune

# The part without an engine; ends within a minute.
test:
	@tools/install-deps test
	@tools/run-tests quick

check:
	@tools/install-deps check
	@tools/run-tests all

bench: all
	@tools/bench $(BUILD)

install: all
	@$(MESON) configure $(BUILD) --prefix $(PREFIX) >/dev/null
	@$(NINJA) -C $(BUILD) install

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build build-*
