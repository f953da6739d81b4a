/* SPDX-License-Identifier: Apache-2.0 */
/* What every subcommand needs of its process: open streams, signals, and an end at which lost output is noticed. */
#include "cli-priv.h"
#include <monitor/crash.h>
#include <monitor/signals.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

static GPtrArray *words;
static int flush_errno; /* of the first flush that failed */

/* A file that is opened later must not become stdin, stdout or stderr. */
static void open_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) != fd) {
            _exit(CLI_USAGE); /* nowhere to say why */
        }
    }
}

void cli_process_begin(int argc, char **argv)
{
    open_streams();
    signal(SIGPIPE, SIG_IGN); /* an error of the stream, as a full disk is */
    signal(SIGXFSZ, SIG_IGN);
    ww_signals_begin();
    ww_crash_report_begin();
    words = g_ptr_array_new();
    g_ptr_array_add(words, (gpointer) "warpwright");
    for (int i = 1; i < argc; i++) {
        g_ptr_array_add(words, argv[i]);
    }
    g_ptr_array_add(words, NULL);
}

const char *const *cli_process_words(void)
{
    return (const char *const *)words->pdata;
}

bool cli_process_unheard(void)
{
    errno = 0;
    if (fflush(stdout) != 0 && flush_errno == 0) {
        flush_errno = errno;
    }
    return ferror(stdout) != 0;
}

static bool reader_gone(void)
{
    struct pollfd end = {.fd = STDOUT_FILENO};
    return poll(&end, 1, 0) == 1 && (end.revents & (POLLERR | POLLHUP)) != 0;
}

int cli_process_end(int status)
{
    bool failed = cli_process_unheard();
    int why = flush_errno;
    bool gone = failed && (why == EPIPE || reader_gone());
    failed |= close(STDOUT_FILENO) != 0 && errno != EBADF;
    why = why != 0 ? why : errno;
    g_clear_pointer(&words, g_ptr_array_unref);
    if (!failed || gone) {
        return status;
    }
    if (status != CLI_USAGE) { /* else an error has been told already */
        cli_fail_text("cannot write to the standard output: %s; expected room for it",
                      why != 0 ? g_strerror(why) : "an earlier write failed");
    }
    return CLI_USAGE;
}
