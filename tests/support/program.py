"""What the tests of the program share: where it is, how it is run, and which recordings there are."""
import collections
import csv
import functools
import gzip
import json
import os
import subprocess

TOP = os.environ.get("top_srcdir") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERFDATA = os.path.abspath(os.environ.get("PERFDATA") or os.path.join(TOP, "build", "perfdata"))
BUILD = os.environ.get("top_builddir") or os.path.join(TOP, "build")
SANITIZED = os.environ.get("PERFDATA_SANITIZED") == "1"    # built with sanitizers, which need more memory and time
ALL = os.environ.get("PERFDATA_ALL") == "1"                # the full measure: make check-slow
VALGRIND = os.environ.get("PERFDATA_VALGRIND") == "1"      # PERFDATA runs under valgrind (tests/support/valgrind.py)
TESTDATA = os.path.join(TOP, "testdata")
CORPUS = os.environ.get("PERFDATA_CORPUS")

Done = collections.namedtuple("Done", "code out err")


def run(*words, stdin=None, timeout=300, **more):
    """Runs the program; `stdin` is a path or None. The code is negative where a signal ended it."""
    with open(stdin or os.devnull, "rb") as source:
        done = subprocess.run([PERFDATA, *words], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, **more)
    return Done(done.returncode, done.stdout, done.stderr)


def environment(home):
    """For programs that shall find nothing in a home; what they keep in caches stays where it is, which a perf of one's own may need."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return dict(os.environ, HOME=home, XDG_CACHE_HOME=caches, LC_ALL="C")


# These write several files, so an output has to be a folder.
FOLDER_FORMATS = ("parquet",)


# Formats for compilers: they ask for a program, and most refuse recordings without branch stacks. COMPILERS_RECORDING is one that they take, with
# COMPILERS_WORDS; perf_profiles.py and goldens are about their output.
FOR_COMPILERS = ("bolt", "profgen", "sampleprof", "gcov", "autofdo")
COMPILERS_WORDS = ["--symfs", os.path.join(TESTDATA, "compilers"), "--program", "hot"]
COMPILERS_RECORDING = os.path.join(TESTDATA, "branches-hot.data")


@functools.lru_cache(maxsize=None)
def formats():
    """The names of the conversions, as the program lists them."""
    return [line.split()[0] for line in run("help", "formats").out.decode().splitlines()]


def plain_of(path):
    """The bytes of a file, those of gzip unpacked."""
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def corpus_rows():
    """The rows of the corpus' MANIFEST.tsv; none where PERFDATA_CORPUS names no corpus."""
    if not CORPUS:
        return []
    with open(os.path.join(CORPUS, "MANIFEST.tsv"), newline="") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def recordings(largest=None, kinds=None):
    """(path, kind) of those of testdata/ and of the corpus. largest: without files of more bytes; kinds: of the corpus only these."""
    found = [(os.path.join(TESTDATA, name), "damaged" if name.startswith("bad-") else "real")
             for name in sorted(os.listdir(TESTDATA)) if name.endswith((".data", ".pipe", ".dir"))]
    found += [(os.path.join(CORPUS, row["file"]), row["kind"]) for row in corpus_rows() if not kinds or row["kind"] in kinds]
    return [(path, kind) for path, kind in found if not largest or os.path.isdir(path) or os.path.getsize(path) <= largest]


def in_testdata(path):
    return path.startswith(TESTDATA + os.sep)


def some_recordings(largest=None):
    """Paths of testdata/ and of every second recording of the corpus, where most differ by the version of their recorder; with ALL of each."""
    paths = [path for path, _kind in recordings(largest)]
    of_corpus = [path for path in paths if not in_testdata(path)]
    return paths if ALL else [path for path in paths if path not in of_corpus[1::2]]


def expected(name, kind):
    """What perf printed for a recording of the corpus; b"" where it printed nothing or that was not kept."""
    path = os.path.join(CORPUS, "expected", "%s.%s.zst" % (name, kind))
    if not os.path.exists(path):
        return b""
    return subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout


def no_key_twice(pairs):
    keys = dict(pairs)
    if len(keys) != len(pairs):
        names = [name for name, _value in pairs]
        raise ValueError("the key %s occurs twice in an object" % next(name for name in names if names.count(name) > 1))
    return keys


def no_constant(word):
    raise ValueError("%s is no JSON" % word)


DECODER = json.JSONDecoder(object_pairs_hook=no_key_twice, parse_constant=no_constant)


def strict_json(data):
    """Parses UTF-8 bytes; ValueError where a lenient reader would look away."""
    return DECODER.decode(data.decode("utf-8"))


class Tap:
    """Results of a test whose cases are counted as they come."""

    def __init__(self):
        self.count = self.failures = 0

    def report(self, title, faults):
        """A case passes when `faults` is empty: faults one by one, or one text."""
        faults = list(faults) if hasattr(faults, "__next__") else faults
        self.count += 1
        self.failures += bool(faults)
        print("%sok %d - %s" % ("not " if faults else "", self.count, title), flush=True)
        if isinstance(faults, (list, tuple)):
            text = "\n".join(str(fault)[:800] for fault in faults[:8])
        else:
            text = str(faults)[:2000]
        if faults:
            print("# " + text.replace("\n", "\n# "), flush=True)

    def todo(self, title, fault, reason):
        """A case whose fault is known."""
        self.count += 1
        print("%sok %d - %s # TODO %s" % ("not " if fault else "", self.count, title, reason), flush=True)

    def skip(self, title, reason):
        """A case that cannot run here."""
        self.count += 1
        print("ok %d - %s # SKIP %s" % (self.count, title, reason), flush=True)

    def end(self):
        """Prints the plan; the exit code."""
        print("1..%d" % self.count)
        return 1 if self.failures else 0
