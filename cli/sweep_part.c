/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of a sweep is carried out here, and that nobody else works on its database meanwhile. */
#include "sweep.h"
#include <warpwright/component.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- --tasks ---------------------------------------------------------------------------------------------------- */

/* "4" or "4-7" at *text, which is moved behind it. */
static bool read_range(const char **text, uint64_t most, uint64_t *first, uint64_t *last)
{
    char *end;
    if (!g_ascii_isdigit(**text)) {
        return false;
    }
    *first = *last = g_ascii_strtoull(*text, &end, 10);
    if (*end == '-') {
        if (!g_ascii_isdigit(end[1])) {
            return false;
        }
        *last = g_ascii_strtoull(end + 1, &end, 10);
    }
    *text = end;
    return *first >= 1 && *last >= *first && *last <= most;
}

static bool read_ranges(Sweep *s, bool *wanted)
{
    const char *at = s->tasks;
    uint64_t first, last;
    do {
        at += at != s->tasks; /* the comma */
        if (!read_range(&at, s->n, &first, &last)) {
            return false;
        }
        for (uint64_t i = first; i <= last; i++) {
            wanted[i - 1] = true;
        }
        s->first = MIN(s->first, (uint32_t)first - 1);
        s->last = MAX(s->last, (uint32_t)last);
    } while (*at == ',');
    return *at == '\0';
}

bool sweep_set_part(Sweep *s, GError **error)
{
    bool all = s->tasks == NULL;
    g_autofree bool *wanted = g_new0(bool, s->n);
    s->first = all ? 0 : s->n;
    s->last = all ? s->n : 0;
    if (!all && !read_ranges(s, wanted)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--tasks '%s'; expected FIRST-LAST,..., numbers of the plan's %u %s",
                       s->tasks, s->n, WW_PLURAL(s->n, "run", "runs"));
    }
    s->counts[SWEEP_TO_DO] = s->last - s->first;
    for (uint32_t i = s->first; i < s->last && !all; i++) {
        if (!wanted[i]) {
            sweep_set(s, i, SWEEP_OUT);
        }
    }
    return true;
}

char *sweep_part_text(const uint32_t *runs, uint32_t n)
{
    GString *out = g_string_new(NULL);
    for (uint32_t i = 0; i < n;) {
        uint32_t end = i + 1;
        while (end < n && runs[end] == runs[end - 1] + 1) {
            end++;
        }
        g_string_append_printf(out, "%s%u", i != 0 ? "," : "", runs[i] + 1);
        if (end - i > 1) {
            g_string_append_printf(out, "-%u", runs[end - 1] + 1);
        }
        i = end;
    }
    return g_string_free(out, false);
}

/* ---- one sweep at a time ---------------------------------------------------------------------------------------- */

static int fail_locked(const char *name, int fd, int why, GError **error)
{
    char who[64] = "";
    ssize_t n = read(fd, who, sizeof who - 1);
    if (why == EWOULDBLOCK) {
        ww_fail(error, WW_ERROR_USAGE,
                "another sweep works on this database%s%s; expected it to end first ('%s')",
                n > 0 ? ": " : "", g_strchomp(who), name);
    } else {
        ww_fail(error, WW_ERROR_SYSTEM, "'%s': %s; expected a file system that has locks", name,
                g_strerror(why));
    }
    close(fd);
    return -1;
}

int sweep_take_lock(const char *db, GError **error)
{
    g_autofree char *name = g_strconcat(db, ".lock", NULL);
    for (;;) {
        struct stat held, there;
        int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0) {
            ww_fail(error, WW_ERROR_SYSTEM,
                    "cannot make '%s': %s; expected a folder that can be written", name,
                    g_strerror(errno));
            return -1;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            return fail_locked(name, fd, errno, error);
        }
        if (fstat(fd, &held) == 0 && stat(name, &there) == 0 && held.st_ino == there.st_ino) {
            g_autofree char *who =
                g_strdup_printf("process %d on %s\n", (int)getpid(), g_get_host_name());
            bool good = ftruncate(fd, 0) == 0 && write(fd, who, strlen(who)) > 0;
            (void)good;
            return fd;
        }
        close(fd); /* it has just been removed */
    }
}

void sweep_drop_lock(const char *db, int lock)
{
    g_autofree char *name = g_strconcat(db, ".lock", NULL);
    unlink(name);
    close(lock);
}
