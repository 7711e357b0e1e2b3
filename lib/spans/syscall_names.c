/* SPDX-License-Identifier: MIT */
/* Names of system calls by number: of x86-64 (<asm/unistd_64.h>), and of machines that came later and share a table
 * (<asm-generic/unistd.h>). */
#include "config.h"
#include "spans/spans_impl.h"

#define LONGEST 32

/* Texts instead of pointers: the loader relocates no row at the start of a program. A gap is "". */
static const char x86_64[][LONGEST] = {
	[0] = "read", "write", "open", "close", "stat", "fstat", "lstat", "poll", "lseek", "mmap", "mprotect", "munmap",
	[12] = "brk", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "ioctl", "pread64", "pwrite64", "readv",
	[20] = "writev", "access", "pipe", "select", "sched_yield", "mremap", "msync", "mincore", "madvise", "shmget",
	[30] = "shmat", "shmctl", "dup", "dup2", "pause", "nanosleep", "getitimer", "alarm", "setitimer", "getpid",
	[40] = "sendfile", "socket", "connect", "accept", "sendto", "recvfrom", "sendmsg", "recvmsg", "shutdown",
	[49] = "bind", "listen", "getsockname", "getpeername", "socketpair", "setsockopt", "getsockopt", "clone",
	[57] = "fork", "vfork", "execve", "exit", "wait4", "kill", "uname", "semget", "semop", "semctl", "shmdt",
	[68] = "msgget", "msgsnd", "msgrcv", "msgctl", "fcntl", "flock", "fsync", "fdatasync", "truncate", "ftruncate",
	[78] = "getdents", "getcwd", "chdir", "fchdir", "rename", "mkdir", "rmdir", "creat", "link", "unlink",
	[88] = "symlink", "readlink", "chmod", "fchmod", "chown", "fchown", "lchown", "umask", "gettimeofday",
	[97] = "getrlimit", "getrusage", "sysinfo", "times", "ptrace", "getuid", "syslog", "getgid", "setuid", "setgid",
	[107] = "geteuid", "getegid", "setpgid", "getppid", "getpgrp", "setsid", "setreuid", "setregid", "getgroups",
	[116] = "setgroups", "setresuid", "getresuid", "setresgid", "getresgid", "getpgid", "setfsuid", "setfsgid",
	[124] = "getsid", "capget", "capset", "rt_sigpending", "rt_sigtimedwait", "rt_sigqueueinfo", "rt_sigsuspend",
	[131] = "sigaltstack", "utime", "mknod", "uselib", "personality", "ustat", "statfs", "fstatfs", "sysfs",
	[140] = "getpriority", "setpriority", "sched_setparam", "sched_getparam", "sched_setscheduler",
	[145] = "sched_getscheduler", "sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval",
	[149] = "mlock", "munlock", "mlockall", "munlockall", "vhangup", "modify_ldt", "pivot_root", "_sysctl", "prctl",
	[158] = "arch_prctl", "adjtimex", "setrlimit", "chroot", "sync", "acct", "settimeofday", "mount", "umount2",
	[167] = "swapon", "swapoff", "reboot", "sethostname", "setdomainname", "iopl", "ioperm", "create_module",
	[175] = "init_module", "delete_module", "get_kernel_syms", "query_module", "quotactl", "nfsservctl", "getpmsg",
	[182] = "putpmsg", "afs_syscall", "tuxcall", "security", "gettid", "readahead", "setxattr", "lsetxattr",
	[190] = "fsetxattr", "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr",
	[197] = "removexattr", "lremovexattr", "fremovexattr", "tkill", "time", "futex", "sched_setaffinity",
	[204] = "sched_getaffinity", "set_thread_area", "io_setup", "io_destroy", "io_getevents", "io_submit",
	[210] = "io_cancel", "get_thread_area", "lookup_dcookie", "epoll_create", "epoll_ctl_old", "epoll_wait_old",
	[216] = "remap_file_pages", "getdents64", "set_tid_address", "restart_syscall", "semtimedop", "fadvise64",
	[222] = "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete", "clock_settime",
	[228] = "clock_gettime", "clock_getres", "clock_nanosleep", "exit_group", "epoll_wait", "epoll_ctl", "tgkill",
	[235] = "utimes", "vserver", "mbind", "set_mempolicy", "get_mempolicy", "mq_open", "mq_unlink", "mq_timedsend",
	[243] = "mq_timedreceive", "mq_notify", "mq_getsetattr", "kexec_load", "waitid", "add_key", "request_key",
	[250] = "keyctl", "ioprio_set", "ioprio_get", "inotify_init", "inotify_add_watch", "inotify_rm_watch",
	[256] = "migrate_pages", "openat", "mkdirat", "mknodat", "fchownat", "futimesat", "newfstatat", "unlinkat",
	[264] = "renameat", "linkat", "symlinkat", "readlinkat", "fchmodat", "faccessat", "pselect6", "ppoll",
	[272] = "unshare", "set_robust_list", "get_robust_list", "splice", "tee", "sync_file_range", "vmsplice",
	[279] = "move_pages", "utimensat", "epoll_pwait", "signalfd", "timerfd_create", "eventfd", "fallocate",
	[286] = "timerfd_settime", "timerfd_gettime", "accept4", "signalfd4", "eventfd2", "epoll_create1", "dup3",
	[293] = "pipe2", "inotify_init1", "preadv", "pwritev", "rt_tgsigqueueinfo", "perf_event_open", "recvmmsg",
	[300] = "fanotify_init", "fanotify_mark", "prlimit64", "name_to_handle_at", "open_by_handle_at",
	[305] = "clock_adjtime", "syncfs", "sendmmsg", "setns", "getcpu", "process_vm_readv", "process_vm_writev",
	[312] = "kcmp", "finit_module", "sched_setattr", "sched_getattr", "renameat2", "seccomp", "getrandom",
	[319] = "memfd_create", "kexec_file_load", "bpf", "execveat", "userfaultfd", "membarrier", "mlock2",
	[326] = "copy_file_range", "preadv2", "pwritev2", "pkey_mprotect", "pkey_alloc", "pkey_free", "statx",
	[333] = "io_pgetevents", "rseq",
	[424] = "pidfd_send_signal", "io_uring_setup", "io_uring_enter", "io_uring_register", "open_tree", "move_mount",
	[430] = "fsopen", "fsconfig", "fsmount", "fspick", "pidfd_open", "clone3", "close_range", "openat2",
	[438] = "pidfd_getfd", "faccessat2", "process_madvise", "epoll_pwait2", "mount_setattr", "quotactl_fd",
	[444] = "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "memfd_secret",
	[448] = "process_mrelease", "futex_waitv", "set_mempolicy_home_node", "cachestat", "fchmodat2",
	[453] = "map_shadow_stack", "futex_wake", "futex_wait", "futex_requeue", "statmount", "listmount",
	[459] = "lsm_get_self_attr", "lsm_set_self_attr", "lsm_list_modules", "mseal", "setxattrat", "getxattrat",
	[465] = "listxattrat", "removexattrat", "open_tree_attr",
};

static const char generic[][LONGEST] = {
	[0] = "io_setup", "io_destroy", "io_submit", "io_cancel", "io_getevents", "setxattr", "lsetxattr", "fsetxattr",
	[8] = "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr", "removexattr",
	[15] = "lremovexattr", "fremovexattr", "getcwd", "lookup_dcookie", "eventfd2", "epoll_create1", "epoll_ctl",
	[22] = "epoll_pwait", "dup", "dup3", "fcntl", "inotify_init1", "inotify_add_watch", "inotify_rm_watch", "ioctl",
	[30] = "ioprio_set", "ioprio_get", "flock", "mknodat", "mkdirat", "unlinkat", "symlinkat", "linkat", "renameat",
	[39] = "umount2", "mount", "pivot_root", "nfsservctl", "statfs", "fstatfs", "truncate", "ftruncate",
	[47] = "fallocate", "faccessat", "chdir", "fchdir", "chroot", "fchmod", "fchmodat", "fchownat", "fchown",
	[56] = "openat", "close", "vhangup", "pipe2", "quotactl", "getdents64", "lseek", "read", "write", "readv",
	[66] = "writev", "pread64", "pwrite64", "preadv", "pwritev", "sendfile", "pselect6", "ppoll", "signalfd4",
	[75] = "vmsplice", "splice", "tee", "readlinkat", "newfstatat", "fstat", "sync", "fsync", "fdatasync",
	[84] = "sync_file_range2", "timerfd_create", "timerfd_settime", "timerfd_gettime", "utimensat", "acct",
	[90] = "capget", "capset", "personality", "exit", "exit_group", "waitid", "set_tid_address", "unshare", "futex",
	[99] = "set_robust_list", "get_robust_list", "nanosleep", "getitimer", "setitimer", "kexec_load", "init_module",
	[106] = "delete_module", "timer_create", "timer_gettime", "timer_getoverrun", "timer_settime", "timer_delete",
	[112] = "clock_settime", "clock_gettime", "clock_getres", "clock_nanosleep", "syslog", "ptrace",
	[118] = "sched_setparam", "sched_setscheduler", "sched_getscheduler", "sched_getparam", "sched_setaffinity",
	[123] = "sched_getaffinity", "sched_yield", "sched_get_priority_max", "sched_get_priority_min",
	[127] = "sched_rr_get_interval", "restart_syscall", "kill", "tkill", "tgkill", "sigaltstack", "rt_sigsuspend",
	[134] = "rt_sigaction", "rt_sigprocmask", "rt_sigpending", "rt_sigtimedwait", "rt_sigqueueinfo", "rt_sigreturn",
	[140] = "setpriority", "getpriority", "reboot", "setregid", "setgid", "setreuid", "setuid", "setresuid",
	[148] = "getresuid", "setresgid", "getresgid", "setfsuid", "setfsgid", "times", "setpgid", "getpgid", "getsid",
	[157] = "setsid", "getgroups", "setgroups", "uname", "sethostname", "setdomainname", "getrlimit", "setrlimit",
	[165] = "getrusage", "umask", "prctl", "getcpu", "gettimeofday", "settimeofday", "adjtimex", "getpid",
	[173] = "getppid", "getuid", "geteuid", "getgid", "getegid", "gettid", "sysinfo", "mq_open", "mq_unlink",
	[182] = "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr", "msgget", "msgctl", "msgrcv", "msgsnd",
	[190] = "semget", "semctl", "semtimedop", "semop", "shmget", "shmctl", "shmat", "shmdt", "socket", "socketpair",
	[200] = "bind", "listen", "accept", "connect", "getsockname", "getpeername", "sendto", "recvfrom", "setsockopt",
	[209] = "getsockopt", "shutdown", "sendmsg", "recvmsg", "readahead", "brk", "munmap", "mremap", "add_key",
	[218] = "request_key", "keyctl", "clone", "execve", "mmap", "fadvise64", "swapon", "swapoff", "mprotect",
	[227] = "msync", "mlock", "munlock", "mlockall", "munlockall", "mincore", "madvise", "remap_file_pages",
	[235] = "mbind", "get_mempolicy", "set_mempolicy", "migrate_pages", "move_pages", "rt_tgsigqueueinfo",
	[241] = "perf_event_open", "accept4", "recvmmsg",
	[260] = "wait4", "prlimit64", "fanotify_init", "fanotify_mark", "name_to_handle_at", "open_by_handle_at",
	[266] = "clock_adjtime", "syncfs", "setns", "sendmmsg", "process_vm_readv", "process_vm_writev", "kcmp",
	[273] = "finit_module", "sched_setattr", "sched_getattr", "renameat2", "seccomp", "getrandom", "memfd_create",
	[280] = "bpf", "execveat", "userfaultfd", "membarrier", "mlock2", "copy_file_range", "preadv2", "pwritev2",
	[288] = "pkey_mprotect", "pkey_alloc", "pkey_free", "statx", "io_pgetevents", "rseq", "kexec_file_load",
	[424] = "pidfd_send_signal", "io_uring_setup", "io_uring_enter", "io_uring_register", "open_tree", "move_mount",
	[430] = "fsopen", "fsconfig", "fsmount", "fspick", "pidfd_open", "clone3", "close_range", "openat2",
	[438] = "pidfd_getfd", "faccessat2", "process_madvise", "epoll_pwait2", "mount_setattr", "quotactl_fd",
	[444] = "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "memfd_secret",
	[448] = "process_mrelease", "futex_waitv", "set_mempolicy_home_node", "cachestat", "fchmodat2",
	[453] = "map_shadow_stack", "futex_wake", "futex_wait", "futex_requeue", "statmount", "listmount",
	[459] = "lsm_get_self_attr", "lsm_set_self_attr", "lsm_list_modules", "mseal", "setxattrat", "getxattrat",
	[465] = "listxattrat", "removexattrat", "open_tree_attr",
};

const char *pd_syscall_name(enum perfdata_arch arch, unsigned long_size, uint64_t number)
{
	const bool is_generic = arch == PERFDATA_ARCH_ARM64 || arch == PERFDATA_ARCH_RISCV ||
				arch == PERFDATA_ARCH_LOONGARCH;
	const char *name = "";
	if (long_size != 8)
		return NULL;
	if (arch == PERFDATA_ARCH_X86 && number < sizeof x86_64 / sizeof *x86_64)
		name = x86_64[number];
	else if (is_generic && number < sizeof generic / sizeof *generic)
		name = generic[number];
	return *name ? name : NULL;
}
