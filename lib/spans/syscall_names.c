/* SPDX-License-Identifier: MIT */
/* Names of system calls by number: of x86-64 (<asm/unistd_64.h>), and of machines that came later and share a table
 * (<asm-generic/unistd.h>). */
#include "config.h"
#include <stddef.h>
#include "spans/spans_impl.h"

/* BOTH(name, number of x86-64, generic number), ONLY_X86_64(name, number), ONLY_GENERIC(name, number) */
#define SYSTEM_CALLS(BOTH, ONLY_X86_64, ONLY_GENERIC) \
	BOTH("read", 0, 63) BOTH("write", 1, 64) ONLY_X86_64("open", 2) BOTH("close", 3, 57) ONLY_X86_64("stat", 4) \
	BOTH("fstat", 5, 80) ONLY_X86_64("lstat", 6) ONLY_X86_64("poll", 7) BOTH("lseek", 8, 62) BOTH("mmap", 9, 222) \
	BOTH("mprotect", 10, 226) BOTH("munmap", 11, 215) BOTH("brk", 12, 214) BOTH("rt_sigaction", 13, 134) \
	BOTH("rt_sigprocmask", 14, 135) BOTH("rt_sigreturn", 15, 139) BOTH("ioctl", 16, 29) BOTH("pread64", 17, 67) \
	BOTH("pwrite64", 18, 68) BOTH("readv", 19, 65) BOTH("writev", 20, 66) ONLY_X86_64("access", 21) \
	ONLY_X86_64("pipe", 22) ONLY_X86_64("select", 23) BOTH("sched_yield", 24, 124) BOTH("mremap", 25, 216) \
	BOTH("msync", 26, 227) BOTH("mincore", 27, 232) BOTH("madvise", 28, 233) BOTH("shmget", 29, 194) \
	BOTH("shmat", 30, 196) BOTH("shmctl", 31, 195) BOTH("dup", 32, 23) ONLY_X86_64("dup2", 33) \
	ONLY_X86_64("pause", 34) BOTH("nanosleep", 35, 101) BOTH("getitimer", 36, 102) ONLY_X86_64("alarm", 37) \
	BOTH("setitimer", 38, 103) BOTH("getpid", 39, 172) BOTH("sendfile", 40, 71) BOTH("socket", 41, 198) \
	BOTH("connect", 42, 203) BOTH("accept", 43, 202) BOTH("sendto", 44, 206) BOTH("recvfrom", 45, 207) \
	BOTH("sendmsg", 46, 211) BOTH("recvmsg", 47, 212) BOTH("shutdown", 48, 210) BOTH("bind", 49, 200) \
	BOTH("listen", 50, 201) BOTH("getsockname", 51, 204) BOTH("getpeername", 52, 205) BOTH("socketpair", 53, 199) \
	BOTH("setsockopt", 54, 208) BOTH("getsockopt", 55, 209) BOTH("clone", 56, 220) ONLY_X86_64("fork", 57) \
	ONLY_X86_64("vfork", 58) BOTH("execve", 59, 221) BOTH("exit", 60, 93) BOTH("wait4", 61, 260) \
	BOTH("kill", 62, 129) BOTH("uname", 63, 160) BOTH("semget", 64, 190) BOTH("semop", 65, 193) \
	BOTH("semctl", 66, 191) BOTH("shmdt", 67, 197) BOTH("msgget", 68, 186) BOTH("msgsnd", 69, 189) \
	BOTH("msgrcv", 70, 188) BOTH("msgctl", 71, 187) BOTH("fcntl", 72, 25) BOTH("flock", 73, 32) \
	BOTH("fsync", 74, 82) BOTH("fdatasync", 75, 83) BOTH("truncate", 76, 45) BOTH("ftruncate", 77, 46) \
	ONLY_X86_64("getdents", 78) BOTH("getcwd", 79, 17) BOTH("chdir", 80, 49) BOTH("fchdir", 81, 50) \
	ONLY_X86_64("rename", 82) ONLY_X86_64("mkdir", 83) ONLY_X86_64("rmdir", 84) ONLY_X86_64("creat", 85) \
	ONLY_X86_64("link", 86) ONLY_X86_64("unlink", 87) ONLY_X86_64("symlink", 88) ONLY_X86_64("readlink", 89) \
	ONLY_X86_64("chmod", 90) BOTH("fchmod", 91, 52) ONLY_X86_64("chown", 92) BOTH("fchown", 93, 55) \
	ONLY_X86_64("lchown", 94) BOTH("umask", 95, 166) BOTH("gettimeofday", 96, 169) BOTH("getrlimit", 97, 163) \
	BOTH("getrusage", 98, 165) BOTH("sysinfo", 99, 179) BOTH("times", 100, 153) BOTH("ptrace", 101, 117) \
	BOTH("getuid", 102, 174) BOTH("syslog", 103, 116) BOTH("getgid", 104, 176) BOTH("setuid", 105, 146) \
	BOTH("setgid", 106, 144) BOTH("geteuid", 107, 175) BOTH("getegid", 108, 177) BOTH("setpgid", 109, 154) \
	BOTH("getppid", 110, 173) ONLY_X86_64("getpgrp", 111) BOTH("setsid", 112, 157) BOTH("setreuid", 113, 145) \
	BOTH("setregid", 114, 143) BOTH("getgroups", 115, 158) BOTH("setgroups", 116, 159) BOTH("setresuid", 117, 147) \
	BOTH("getresuid", 118, 148) BOTH("setresgid", 119, 149) BOTH("getresgid", 120, 150) BOTH("getpgid", 121, 155) \
	BOTH("setfsuid", 122, 151) BOTH("setfsgid", 123, 152) BOTH("getsid", 124, 156) BOTH("capget", 125, 90) \
	BOTH("capset", 126, 91) BOTH("rt_sigpending", 127, 136) BOTH("rt_sigtimedwait", 128, 137) \
	BOTH("rt_sigqueueinfo", 129, 138) BOTH("rt_sigsuspend", 130, 133) BOTH("sigaltstack", 131, 132) \
	ONLY_X86_64("utime", 132) ONLY_X86_64("mknod", 133) ONLY_X86_64("uselib", 134) BOTH("personality", 135, 92) \
	ONLY_X86_64("ustat", 136) BOTH("statfs", 137, 43) BOTH("fstatfs", 138, 44) ONLY_X86_64("sysfs", 139) \
	BOTH("getpriority", 140, 141) BOTH("setpriority", 141, 140) BOTH("sched_setparam", 142, 118) \
	BOTH("sched_getparam", 143, 121) BOTH("sched_setscheduler", 144, 119) BOTH("sched_getscheduler", 145, 120) \
	BOTH("sched_get_priority_max", 146, 125) BOTH("sched_get_priority_min", 147, 126) \
	BOTH("sched_rr_get_interval", 148, 127) BOTH("mlock", 149, 228) BOTH("munlock", 150, 229) \
	BOTH("mlockall", 151, 230) BOTH("munlockall", 152, 231) BOTH("vhangup", 153, 58) \
	ONLY_X86_64("modify_ldt", 154) BOTH("pivot_root", 155, 41) ONLY_X86_64("_sysctl", 156) BOTH("prctl", 157, 167) \
	ONLY_X86_64("arch_prctl", 158) BOTH("adjtimex", 159, 171) BOTH("setrlimit", 160, 164) BOTH("chroot", 161, 51) \
	BOTH("sync", 162, 81) BOTH("acct", 163, 89) BOTH("settimeofday", 164, 170) BOTH("mount", 165, 40) \
	BOTH("umount2", 166, 39) BOTH("swapon", 167, 224) BOTH("swapoff", 168, 225) BOTH("reboot", 169, 142) \
	BOTH("sethostname", 170, 161) BOTH("setdomainname", 171, 162) ONLY_X86_64("iopl", 172) \
	ONLY_X86_64("ioperm", 173) ONLY_X86_64("create_module", 174) BOTH("init_module", 175, 105) \
	BOTH("delete_module", 176, 106) ONLY_X86_64("get_kernel_syms", 177) ONLY_X86_64("query_module", 178) \
	BOTH("quotactl", 179, 60) BOTH("nfsservctl", 180, 42) ONLY_X86_64("getpmsg", 181) ONLY_X86_64("putpmsg", 182) \
	ONLY_X86_64("afs_syscall", 183) ONLY_X86_64("tuxcall", 184) ONLY_X86_64("security", 185) \
	BOTH("gettid", 186, 178) BOTH("readahead", 187, 213) BOTH("setxattr", 188, 5) BOTH("lsetxattr", 189, 6) \
	BOTH("fsetxattr", 190, 7) BOTH("getxattr", 191, 8) BOTH("lgetxattr", 192, 9) BOTH("fgetxattr", 193, 10) \
	BOTH("listxattr", 194, 11) BOTH("llistxattr", 195, 12) BOTH("flistxattr", 196, 13) \
	BOTH("removexattr", 197, 14) BOTH("lremovexattr", 198, 15) BOTH("fremovexattr", 199, 16) \
	BOTH("tkill", 200, 130) ONLY_X86_64("time", 201) BOTH("futex", 202, 98) BOTH("sched_setaffinity", 203, 122) \
	BOTH("sched_getaffinity", 204, 123) ONLY_X86_64("set_thread_area", 205) BOTH("io_setup", 206, 0) \
	BOTH("io_destroy", 207, 1) BOTH("io_getevents", 208, 4) BOTH("io_submit", 209, 2) BOTH("io_cancel", 210, 3) \
	ONLY_X86_64("get_thread_area", 211) BOTH("lookup_dcookie", 212, 18) ONLY_X86_64("epoll_create", 213) \
	ONLY_X86_64("epoll_ctl_old", 214) ONLY_X86_64("epoll_wait_old", 215) BOTH("remap_file_pages", 216, 234) \
	BOTH("getdents64", 217, 61) BOTH("set_tid_address", 218, 96) BOTH("restart_syscall", 219, 128) \
	BOTH("semtimedop", 220, 192) BOTH("fadvise64", 221, 223) BOTH("timer_create", 222, 107) \
	BOTH("timer_settime", 223, 110) BOTH("timer_gettime", 224, 108) BOTH("timer_getoverrun", 225, 109) \
	BOTH("timer_delete", 226, 111) BOTH("clock_settime", 227, 112) BOTH("clock_gettime", 228, 113) \
	BOTH("clock_getres", 229, 114) BOTH("clock_nanosleep", 230, 115) BOTH("exit_group", 231, 94) \
	ONLY_X86_64("epoll_wait", 232) BOTH("epoll_ctl", 233, 21) BOTH("tgkill", 234, 131) ONLY_X86_64("utimes", 235) \
	ONLY_X86_64("vserver", 236) BOTH("mbind", 237, 235) BOTH("set_mempolicy", 238, 237) \
	BOTH("get_mempolicy", 239, 236) BOTH("mq_open", 240, 180) BOTH("mq_unlink", 241, 181) \
	BOTH("mq_timedsend", 242, 182) BOTH("mq_timedreceive", 243, 183) BOTH("mq_notify", 244, 184) \
	BOTH("mq_getsetattr", 245, 185) BOTH("kexec_load", 246, 104) BOTH("waitid", 247, 95) BOTH("add_key", 248, 217) \
	BOTH("request_key", 249, 218) BOTH("keyctl", 250, 219) BOTH("ioprio_set", 251, 30) BOTH("ioprio_get", 252, 31) \
	ONLY_X86_64("inotify_init", 253) BOTH("inotify_add_watch", 254, 27) BOTH("inotify_rm_watch", 255, 28) \
	BOTH("migrate_pages", 256, 238) BOTH("openat", 257, 56) BOTH("mkdirat", 258, 34) BOTH("mknodat", 259, 33) \
	BOTH("fchownat", 260, 54) ONLY_X86_64("futimesat", 261) BOTH("newfstatat", 262, 79) BOTH("unlinkat", 263, 35) \
	BOTH("renameat", 264, 38) BOTH("linkat", 265, 37) BOTH("symlinkat", 266, 36) BOTH("readlinkat", 267, 78) \
	BOTH("fchmodat", 268, 53) BOTH("faccessat", 269, 48) BOTH("pselect6", 270, 72) BOTH("ppoll", 271, 73) \
	BOTH("unshare", 272, 97) BOTH("set_robust_list", 273, 99) BOTH("get_robust_list", 274, 100) \
	BOTH("splice", 275, 76) BOTH("tee", 276, 77) ONLY_X86_64("sync_file_range", 277) BOTH("vmsplice", 278, 75) \
	BOTH("move_pages", 279, 239) BOTH("utimensat", 280, 88) BOTH("epoll_pwait", 281, 22) \
	ONLY_X86_64("signalfd", 282) BOTH("timerfd_create", 283, 85) ONLY_X86_64("eventfd", 284) \
	BOTH("fallocate", 285, 47) BOTH("timerfd_settime", 286, 86) BOTH("timerfd_gettime", 287, 87) \
	BOTH("accept4", 288, 242) BOTH("signalfd4", 289, 74) BOTH("eventfd2", 290, 19) BOTH("epoll_create1", 291, 20) \
	BOTH("dup3", 292, 24) BOTH("pipe2", 293, 59) BOTH("inotify_init1", 294, 26) BOTH("preadv", 295, 69) \
	BOTH("pwritev", 296, 70) BOTH("rt_tgsigqueueinfo", 297, 240) BOTH("perf_event_open", 298, 241) \
	BOTH("recvmmsg", 299, 243) BOTH("fanotify_init", 300, 262) BOTH("fanotify_mark", 301, 263) \
	BOTH("prlimit64", 302, 261) BOTH("name_to_handle_at", 303, 264) BOTH("open_by_handle_at", 304, 265) \
	BOTH("clock_adjtime", 305, 266) BOTH("syncfs", 306, 267) BOTH("sendmmsg", 307, 269) BOTH("setns", 308, 268) \
	BOTH("getcpu", 309, 168) BOTH("process_vm_readv", 310, 270) BOTH("process_vm_writev", 311, 271) \
	BOTH("kcmp", 312, 272) BOTH("finit_module", 313, 273) BOTH("sched_setattr", 314, 274) \
	BOTH("sched_getattr", 315, 275) BOTH("renameat2", 316, 276) BOTH("seccomp", 317, 277) \
	BOTH("getrandom", 318, 278) BOTH("memfd_create", 319, 279) BOTH("kexec_file_load", 320, 294) \
	BOTH("bpf", 321, 280) BOTH("execveat", 322, 281) BOTH("userfaultfd", 323, 282) BOTH("membarrier", 324, 283) \
	BOTH("mlock2", 325, 284) BOTH("copy_file_range", 326, 285) BOTH("preadv2", 327, 286) \
	BOTH("pwritev2", 328, 287) BOTH("pkey_mprotect", 329, 288) BOTH("pkey_alloc", 330, 289) \
	BOTH("pkey_free", 331, 290) BOTH("statx", 332, 291) BOTH("io_pgetevents", 333, 292) BOTH("rseq", 334, 293) \
	BOTH("pidfd_send_signal", 424, 424) BOTH("io_uring_setup", 425, 425) BOTH("io_uring_enter", 426, 426) \
	BOTH("io_uring_register", 427, 427) BOTH("open_tree", 428, 428) BOTH("move_mount", 429, 429) \
	BOTH("fsopen", 430, 430) BOTH("fsconfig", 431, 431) BOTH("fsmount", 432, 432) BOTH("fspick", 433, 433) \
	BOTH("pidfd_open", 434, 434) BOTH("clone3", 435, 435) BOTH("close_range", 436, 436) BOTH("openat2", 437, 437) \
	BOTH("pidfd_getfd", 438, 438) BOTH("faccessat2", 439, 439) BOTH("process_madvise", 440, 440) \
	BOTH("epoll_pwait2", 441, 441) BOTH("mount_setattr", 442, 442) BOTH("quotactl_fd", 443, 443) \
	BOTH("landlock_create_ruleset", 444, 444) BOTH("landlock_add_rule", 445, 445) \
	BOTH("landlock_restrict_self", 446, 446) BOTH("memfd_secret", 447, 447) BOTH("process_mrelease", 448, 448) \
	BOTH("futex_waitv", 449, 449) BOTH("set_mempolicy_home_node", 450, 450) BOTH("cachestat", 451, 451) \
	BOTH("fchmodat2", 452, 452) BOTH("map_shadow_stack", 453, 453) BOTH("futex_wake", 454, 454) \
	BOTH("futex_wait", 455, 455) BOTH("futex_requeue", 456, 456) BOTH("statmount", 457, 457) \
	BOTH("listmount", 458, 458) BOTH("lsm_get_self_attr", 459, 459) BOTH("lsm_set_self_attr", 460, 460) \
	BOTH("lsm_list_modules", 461, 461) BOTH("mseal", 462, 462) BOTH("setxattrat", 463, 463) \
	BOTH("getxattrat", 464, 464) BOTH("listxattrat", 465, 465) BOTH("removexattrat", 466, 466) \
	BOTH("open_tree_attr", 467, 467) ONLY_GENERIC("sync_file_range2", 84)

/* Each name is stored once, and the tables hold places instead of pointers: the loader relocates no row at the start of
 * a program. */
#define STORE_X86_64(name, number) char of_x86_64_##number[sizeof name];
#define STORE_GENERIC(name, number) char of_generic_##number[sizeof name];
#define STORE_BOTH(name, x86_64, generic) STORE_X86_64(name, x86_64)
#define SPELL_NAME(name, ...) name,
static const struct call_names {
	char none[1];                    /* place 0: a number without a call */
	SYSTEM_CALLS(STORE_BOTH, STORE_X86_64, STORE_GENERIC)
} names = { "", SYSTEM_CALLS(SPELL_NAME, SPELL_NAME, SPELL_NAME) };

#define NO_ROW(name, number)
#define X86_64_ROW(name, number) [number] = offsetof(struct call_names, of_x86_64_##number),
#define X86_64_ROW_OF_BOTH(name, x86_64, generic) X86_64_ROW(name, x86_64)
#define GENERIC_ROW(name, number) [number] = offsetof(struct call_names, of_generic_##number),
#define GENERIC_ROW_OF_BOTH(name, x86_64, generic) [generic] = offsetof(struct call_names, of_x86_64_##x86_64),
static const uint16_t x86_64[] = { SYSTEM_CALLS(X86_64_ROW_OF_BOTH, X86_64_ROW, NO_ROW) };
static const uint16_t generic[] = { SYSTEM_CALLS(GENERIC_ROW_OF_BOTH, NO_ROW, GENERIC_ROW) };

const char *pd_syscall_name(enum perfdata_arch arch, unsigned long_size, uint64_t number)
{
	const bool is_generic = arch == PERFDATA_ARCH_ARM64 || arch == PERFDATA_ARCH_RISCV ||
				arch == PERFDATA_ARCH_LOONGARCH;
	size_t place = 0;
	if (long_size != 8)
		return NULL;
	if (arch == PERFDATA_ARCH_X86 && number < sizeof x86_64 / sizeof *x86_64)
		place = x86_64[number];
	else if (is_generic && number < sizeof generic / sizeof *generic)
		place = generic[number];
	return place ? (const char *)&names + place : NULL;
}
