/* SPDX-License-Identifier: Apache-2.0 */
/* What a stream can show: colours on terminals that have them and for users who want them, and so many columns. */
#include "cli-priv.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PLAIN_WIDTH 80u /* of files and pipes */
#define LEAST_WIDTH 40u

static FILE *stands_for_stdout;

void cli_stand_for_stdout(FILE *out)
{
    stands_for_stdout = out;
}

bool cli_is_terminal(FILE *out)
{
    return isatty(out == stands_for_stdout ? STDOUT_FILENO : fileno(out));
}

bool cli_colours(FILE *out)
{
    const char *none = g_getenv("NO_COLOR"), *term = g_getenv("TERM");
    return (none == NULL || *none == '\0') && term != NULL && *term != '\0' &&
           strcmp(term, "dumb") != 0 && cli_is_terminal(out);
}

const char *cli_paint(FILE *out, CliPaint paint)
{
    static const char *const codes[] = {
        [CLI_PLAIN] = "\033[0m",    [CLI_BOLD] = "\033[1m",       [CLI_BAR] = "\033[34m",
        [CLI_ERROR] = "\033[1;31m", [CLI_WARNING] = "\033[1;35m", [CLI_NOTE] = "\033[1;36m",
    };
    G_STATIC_ASSERT(G_N_ELEMENTS(codes) == CLI_PAINTS);
    return cli_colours(out) ? codes[paint] : "";
}

char *cli_bar(FILE *out, double share, double width)
{
    g_autofree char *bar = g_strnfill((gsize)(share * width + 0.5), '#');
    return *bar == '\0'
               ? g_strdup("")
               : g_strconcat(cli_paint(out, CLI_BAR), bar, cli_paint(out, CLI_PLAIN), NULL);
}

uint32_t cli_width(FILE *out)
{
    struct winsize size;
    int fd = out == stands_for_stdout ? STDOUT_FILENO : fileno(out);
    if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
        return MAX(size.ws_col, LEAST_WIDTH);
    }
    const char *columns = g_getenv("COLUMNS"); /* a terminal that does not say */
    uint64_t n;
    if (isatty(fd) && columns != NULL &&
        g_ascii_string_to_unsigned(columns, 10, LEAST_WIDTH, UINT16_MAX, &n, NULL)) {
        return (uint32_t)n;
    }
    return PLAIN_WIDTH;
}
