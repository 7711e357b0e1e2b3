/* What people record and benchmarks seldom have: deep stacks that hardly repeat, of functions with names as C++ libraries give them, with
 * inlined calls. Each function calls one of several others one level deeper, by the numbers of a generator, and works a little on the way.
 *
 * usage: bench_deep SECONDS [THREADS] */
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace bench_of_deep_stacks {

enum : unsigned { LEVELS = 56, WAYS = 4 };

struct State {
	std::uint64_t random, sum;
};

/* A number that the compiler cannot know. */
static inline std::uint64_t next(State &state)
{
	state.random ^= state.random << 13;
	state.random ^= state.random >> 7;
	state.random ^= state.random << 17;
	return state.random;
}

template <class Table> static inline void mix(State &state, std::uint64_t value)
{
	for (unsigned i = 0; i < 24 + sizeof(Table) % 8; i++)
		state.sum = (state.sum ^ value) * 0x9e3779b97f4a7c15u + i;
}

template <class Table> static inline void visit(State &state)
{
	mix<Table>(state, next(state));
}

template <class Table, unsigned Level, unsigned Way> struct recursive_descent_into_a_table {
	__attribute__((noinline)) static std::uint64_t descend(State &state)
	{
		using T = Table;
		visit<T>(state);
		std::uint64_t below = 0;
		/* most of the time is spent deep down */
		if constexpr (Level + 1 == LEVELS)
			for (unsigned i = 0; i < 2 * LEVELS; i++)
				visit<T>(state);
		if constexpr (Level + 1 < LEVELS) {
			const std::uint64_t number = next(state);
			if (number % 256 != 0) {
				switch (number >> 32 & (WAYS - 1)) {
				case 0: below = recursive_descent_into_a_table<T, Level + 1, 0>::descend(state); break;
				case 1: below = recursive_descent_into_a_table<T, Level + 1, 1>::descend(state); break;
				case 2: below = recursive_descent_into_a_table<T, Level + 1, 2>::descend(state); break;
				default: below = recursive_descent_into_a_table<T, Level + 1, 3>::descend(state); break;
				}
			}
		}
		visit<T>(state);
		return below + state.sum + Way;
	}
};

using Names = std::vector<std::string>;

static void work(std::uint64_t seed, double seconds)
{
	State state = { seed * 0x9e3779b97f4a7c15u + 1, 0 };
	const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
	while (std::chrono::steady_clock::now() < end)
		recursive_descent_into_a_table<Names, 0, 0>::descend(state);
	volatile std::uint64_t kept = state.sum;
	(void)kept;
}

}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
	const unsigned threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
	std::vector<std::thread> all;
	for (unsigned i = 1; i < threads; i++)
		all.emplace_back(bench_of_deep_stacks::work, i + 1, seconds);
	bench_of_deep_stacks::work(1, seconds);
	for (std::thread &each : all)
		each.join();
	return 0;
}
