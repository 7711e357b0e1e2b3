#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes FOLDER/names.data and FOLDER/names.tar: a recording of a library whose functions have mangled C++ and Rust names, and the bundle with that
library. `web_check.sh` converts it with the module and the program. Needs a compiler.
    tests/support/recording_of_names.py FOLDER"""
import os
import subprocess
import sys

import builder
import program

NAMES = """_ZNK4demo1VIdEplERKS1_ _ZN4demo1VIdEpLERKS1_ _ZNK4demo1VIdEltERKS1_ _ZNK4demo1VIdEcvbEv _ZN4demo1VIdEclEi _ZN4demo1VIdEixEi _ZN1AC1Ev _ZN1AC2Ev _ZN1AD0Ev
_ZNKSt4lessISsEclERKSsS2_ _ZlsRSoRK1A _ZrsRSiR1A _ZN1AneERKS_ _ZN1AcvPKcEv _ZnwmPv _ZdaPv _ZN1AppEi _ZN1AmmEv _ZN1AptEv _ZN1AcmES_ _ZN1AaSEOS_ _ZN1AssERKS_
_ZZ4mainENKUlidE_clEid _ZZ4mainENKUlT_E0_clIiEEDaS_ _ZNKSt8functionIFdiEEclEi _ZN3fooILi5ELb1ELc65EEE3barEv _Z3addIJidEEvDpT_ _ZNSt6vectorIiSaIiEE9push_backERKi
_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc _ZTV1A _ZTI1A _ZThn16_N1B3runEv _ZGVZ4funcvE1x _Z1fDn _Z1fPFivE _Z1gM1AFivE _Z1hRA10_i
_Z4funcIXadL_Z4mainEEEvv _ZN12_GLOBAL__N_14workEi _Z4loopPVKc.cold _Z4loopi.isra.0 _Z4loopi.constprop.1.part.2 _ZN4core3fmt9Formatter3pad17h0123456789abcdefE _RNvC4demo4main
_Zli2_kmPKc _ZN1AcvT_IiEEv _Z1aIiEDTpltlT_Eli1EES0_ _ZNKR1A3getEv _ZNO1A3getEv""".split()
ADDRESS, EACH = 0x7f0000000000, 16
folder = sys.argv[1]
root = os.path.join(folder, "root")
os.makedirs(os.path.join(root, "srv"))
library = os.path.join(root, "srv", "libnames.so")
source = ".text\n" + "".join('.globl "%s"\n.type "%s", @function\n.balign %d\n"%s":\n.fill %d, 1, 0\n.size "%s", %d\n' % (name, name, EACH, name, EACH, name, EACH)
                             for name in NAMES)
subprocess.run([os.environ.get("CC", "cc").split()[-1], "-shared", "-nostdlib", "-Wl,--build-id=0x" + "ab" * 20, "-x", "assembler", "-", "-o", library],
               input=source.encode(), check=True)
lines = subprocess.run(["nm", library], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
text = {words[2]: int(words[0], 16) for words in (line.split() for line in lines) if len(words) == 3}
recording = builder.Recording()
event = recording.event("cpu-clock", [1], type=1, config=0, sample_type=builder.IP | builder.TID | builder.TIME | builder.CALLCHAIN | builder.PERIOD, sample_id_all=1)
recording.comm(1, 1, "names", time=1)
recording.mmap2(1, 1, ADDRESS, 1 << 20, 0, "/srv/libnames.so", build_id=bytes.fromhex("ab" * 20), time=1)
for at, name in enumerate(NAMES):
    ip = ADDRESS + text[name] + 4
    recording.sample(event, ip=ip, pid=1, tid=1, time=1000 + at, period=1, callchain=[builder.CONTEXT_USER, ip, ADDRESS + text[NAMES[at // 2]] + 4])
path = os.path.join(folder, "names.data")
recording.save(path)
sys.exit(program.run("bundle", "-q", "--symfs", root, "-o", os.path.join(folder, "names.tar"), path).code)
