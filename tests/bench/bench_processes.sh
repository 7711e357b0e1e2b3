#!/bin/sh
# SPDX-License-Identifier: MIT
# What the recording `processes` is of: thousands of short processes beside large C++ programs (a compiler, and node where it is there).
# usage: bench_processes.sh SECONDS
end=$(($(date +%s) + ${1:-60}))
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 0' TERM INT
cat >"$work/a.cc" <<'C'
#include <map>
#include <regex>
#include <string>
#include <vector>
int main(int argc, char **argv)
{
	std::map<std::string, std::vector<bool>> seen;
	const std::regex wanted("a+(b|c)*");
	for (int i = 0; i < argc; i++)
		seen[argv[i]].push_back(std::regex_match(argv[i], wanted));
	return static_cast<int>(seen.size());
}
C
cat >"$work/a.js" <<'J'
const many = {};
for (let i = 0; i < 30000; i++)
	many['key' + i * 7919 % 65537] = JSON.stringify({ i, text: 'x'.repeat(i % 50) });
console.log(Object.keys(many).sort().map(key => JSON.parse(many[key]).text.length).reduce((a, b) => a + b, 0));
J
while [ "$(date +%s)" -lt "$end" ]; do
	${CXX:-c++} -O1 -c "$work/a.cc" -o "$work/a.o" 2>/dev/null &
	command -v node >/dev/null && node "$work/a.js" >/dev/null &
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		/bin/true
		/bin/ls / >/dev/null
		echo $i | sed s/1/2/ >/dev/null
		expr $i + 1 >/dev/null
	done
	wait
done
