# PERFDATA_PACKAGE(name, VARIABLE, pkg-config modules, what for): --with-name=yes|no|check
AC_DEFUN([PERFDATA_PACKAGE], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--without-$1], [build without $1 ($4)])], [], [with_$1=check])
  have_$1=no
  AS_IF([test "x$with_$1" != xno],
    [PKG_CHECK_MODULES([$2], [$3], [have_$1=yes],
      [AS_IF([test "x$with_$1" = xyes], [AC_MSG_ERROR([$1 was asked for and is missing])])])])
  AS_IF([test $have_$1 = yes], [AC_DEFINE([HAVE_$2], [1], [Define to 1 with $1: $4])],
    [AC_MSG_WARN([without $1: no $4])])
  AM_CONDITIONAL([HAVE_$2], [test $have_$1 = yes])
])
# pthreads are in the C library on the systems we build for; -pthread is right everywhere else.
AC_DEFUN([AX_PTHREAD_PLAIN], [PTHREAD_CFLAGS=-pthread; PTHREAD_LIBS=-pthread
  AC_SUBST([PTHREAD_CFLAGS]) AC_SUBST([PTHREAD_LIBS])])
