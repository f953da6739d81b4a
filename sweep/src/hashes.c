/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line a file: size, time of change, time of its inode's change, device, inode, hash, path. A file that changed less than two seconds before it was
 * read is not remembered: it could change again without a later time.
 */
#include <sweep/hashes.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <warpwright/thread.h>

#define HEAD "warpwright-hashes-1"
#define MOST_BYTES (256u << 20)
#define CHUNK (256u << 10)
#define HEX 64u
#define SETTLED_S 2
#define LOOK_US 100000
#define DEAD_LINES 2000u /* before the text is written anew */

typedef struct Entry {
    char *path; /* absolute */
    struct {
        uint64_t size, mtime, ctime, device, inode;
    } is;
    char hash[HEX + 1]; /* "": not read */
    bool remembered;
    GError *error;
} Entry;

struct WwHashes {
    char *file;
    GHashTable *entries; /* absolute path -> Entry: what was added */
    GHashTable *known;   /* likewise: what the text says */
    GPtrArray *waiting;  /* Entry: added and not read */
    uint32_t lines;
};

/* What the threads that read files share: who takes which, and how far they are. */
typedef struct Reading {
    const GPtrArray *files; /* Entry */
    guint next, done;
    uint64_t bytes;
} Reading;

static void free_entry(gpointer data)
{
    Entry *e = data;
    g_free(e->path);
    g_clear_error(&e->error);
    g_free(e);
}

char *ww_hashes_place(void)
{
    return g_build_filename(g_get_user_cache_dir(), "warpwright", "hashes", NULL);
}

/* ---- the text --------------------------------------------------------------------------------------------------- */

static bool is_hash(const char *text)
{
    return strspn(text, "0123456789abcdef") == HEX;
}

/* A line that is whole and right, or NULL. */
static Entry *read_line(char *line)
{
    uint64_t n[5];
    char *at = line;
    for (size_t i = 0; i < G_N_ELEMENTS(n); i++) {
        char *end;
        n[i] = g_ascii_strtoull(at, &end, 10);
        if (!g_ascii_isdigit(*at) || *end != ' ') {
            return NULL;
        }
        at = end + 1;
    }
    if (!is_hash(at) || at[HEX] != ' ' || at[HEX + 1] != '/') {
        return NULL;
    }
    Entry *e = g_new0(Entry, 1);
    e->is.size = n[0];
    e->is.mtime = n[1];
    e->is.ctime = n[2];
    e->is.device = n[3];
    e->is.inode = n[4];
    memcpy(e->hash, at, HEX);
    e->path = g_strdup(at + HEX + 1);
    e->remembered = true;
    return e;
}

static void read_text(WwHashes *h)
{
    static const WwTextLimits limits = {MOST_BYTES, 0, "hashes of files"};
    g_autofree char *text = NULL;
    size_t length;
    if (h->file == NULL || !g_file_test(h->file, G_FILE_TEST_IS_REGULAR) ||
        !ww_read_text(h->file, &limits, &text, &length, NULL) ||
        !g_str_has_prefix(text, HEAD "\n")) {
        return;
    }
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        h->lines++;
        Entry *e = read_line(line);
        if (e != NULL) {
            g_hash_table_replace(h->known, e->path, e);
        }
    }
}

static void write_line(const Entry *e, GString *out)
{
    if (e->hash[0] != '\0' && strchr(e->path, '\n') == NULL && g_utf8_validate(e->path, -1, NULL)) {
        g_string_append_printf(out,
                               "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
                               " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %s %s\n",
                               e->is.size, e->is.mtime, e->is.ctime, e->is.device, e->is.inode,
                               e->hash, e->path);
    }
}

/* Was it old when it was read? */
static bool settled(const Entry *e)
{
    uint64_t now = (uint64_t)g_get_real_time() * 1000u, wait = SETTLED_S * 1000000000ull;
    return MAX(e->is.mtime, e->is.ctime) + wait < now;
}

static GString *new_lines(const WwHashes *h)
{
    GString *out = g_string_new(NULL);
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, h->entries);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Entry *e = value;
        if (!e->remembered && settled(e)) {
            write_line(e, out);
        }
    }
    return out;
}

static bool write_whole(int fd, const GString *text)
{
    return write(fd, text->str, text->len) == (ssize_t)text->len;
}

/* Most of what it says is of files that have changed. */
static void write_anew(const WwHashes *h)
{
    g_autofree char *other = g_strconcat(h->file, ".XXXXXX", NULL);
    g_autoptr(GString) all = g_string_new(HEAD "\n");
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, h->known);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        if (!g_hash_table_contains(h->entries, ((Entry *)value)->path)) {
            write_line(value, all);
        }
    }
    g_hash_table_iter_init(&iter, h->entries);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Entry *e = value;
        if (e->remembered || settled(e)) {
            write_line(e, all);
        }
    }
    int fd = g_mkstemp_full(other, O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) {
        return;
    }
    bool good = write_whole(fd, all);
    if (close(fd) != 0 || !good || rename(other, h->file) != 0) {
        unlink(other);
    }
}

static void write_text(const WwHashes *h)
{
    g_autoptr(GString) lines = new_lines(h);
    if (h->file == NULL || lines->len == 0) {
        return;
    }
    g_autofree char *folder = g_path_get_dirname(h->file);
    if (g_mkdir_with_parents(folder, 0700) != 0) {
        return;
    }
    if (h->lines > 2 * g_hash_table_size(h->known) + DEAD_LINES) {
        write_anew(h);
        return;
    }
    int fd = open(h->file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    struct stat st;
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &st) == 0 && st.st_size == 0) {
        g_string_prepend(lines, HEAD "\n");
    }
    bool good = write_whole(fd, lines);
    (void)good; /* a line that is not whole is not believed */
    close(fd);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

WwHashes *ww_hashes_new(const char *file)
{
    WwHashes *h = g_new0(WwHashes, 1);
    h->file = g_strdup(file);
    h->entries = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_entry);
    h->known = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_entry);
    h->waiting = g_ptr_array_new();
    read_text(h);
    return h;
}

void ww_hashes_free(WwHashes *h)
{
    if (h != NULL) {
        write_text(h);
        g_hash_table_unref(h->entries);
        g_hash_table_unref(h->known);
        g_ptr_array_unref(h->waiting);
        g_free(h->file);
        g_free(h);
    }
}

static uint64_t nanoseconds(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

static bool look(Entry *e, GError **error)
{
    struct stat st;
    if (stat(e->path, &st) != 0) {
        return ww_fail(error, WW_ERROR_INPUT, "cannot read '%s': %s; expected a file", e->path,
                       g_strerror(errno));
    }
    if (!S_ISREG(st.st_mode)) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "'%s' is no file; expected one that can be read many times", e->path);
    }
    e->is.size = (uint64_t)st.st_size;
    e->is.mtime = nanoseconds(&st.st_mtim);
    e->is.ctime = nanoseconds(&st.st_ctim);
    e->is.device = (uint64_t)st.st_dev;
    e->is.inode = (uint64_t)st.st_ino;
    return true;
}

bool ww_hashes_add(WwHashes *h, const char *path, GError **error)
{
    g_autofree char *absolute = g_canonicalize_filename(path, NULL);
    if (g_hash_table_contains(h->entries, absolute)) {
        return true;
    }
    Entry *e = g_new0(Entry, 1);
    e->path = g_steal_pointer(&absolute);
    if (!look(e, error)) {
        free_entry(e);
        return false;
    }
    const Entry *known = g_hash_table_lookup(h->known, e->path);
    if (known != NULL && memcmp(&known->is, &e->is, sizeof e->is) == 0) {
        memcpy(e->hash, known->hash, sizeof e->hash);
        e->remembered = true;
    } else {
        g_ptr_array_add(h->waiting, e);
    }
    g_hash_table_insert(h->entries, e->path, e);
    return true;
}

static void read_file(Entry *e, Reading *r)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree guchar *chunk = g_malloc(CHUNK);
    int fd = open(e->path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : 0;
    while (fd >= 0 && (n = read(fd, chunk, CHUNK)) > 0) {
        g_checksum_update(sum, chunk, n);
        __atomic_fetch_add(&r->bytes, (uint64_t)n, __ATOMIC_RELAXED);
    }
    if (n < 0) { /* it has no hash: what was read of it must not be remembered as its contents */
        ww_fail(&e->error, WW_ERROR_INPUT, "cannot read '%s': %s; expected a file", e->path,
                g_strerror(errno));
    } else {
        g_strlcpy(e->hash, g_checksum_get_string(sum), sizeof e->hash);
    }
    if (fd >= 0) {
        close(fd);
    }
}

static void *work(void *user)
{
    Reading *r = user;
    guint i;
    while ((i = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED)) < r->files->len) {
        read_file(r->files->pdata[i], r);
        __atomic_fetch_add(&r->done, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void wait_for_all(Reading *r, uint64_t all, WwHashesFn progress, void *user)
{
    gint64 told = g_get_monotonic_time();
    for (useconds_t pause = 500; __atomic_load_n(&r->done, __ATOMIC_RELAXED) < r->files->len;
         pause = MIN(pause * 2, 20000)) {
        if (progress != NULL && g_get_monotonic_time() - told > LOOK_US) {
            told = g_get_monotonic_time();
            progress(user, __atomic_load_n(&r->bytes, __ATOMIC_RELAXED), all);
        }
        g_usleep(pause);
    }
    if (progress != NULL) {
        progress(user, __atomic_load_n(&r->bytes, __ATOMIC_RELAXED), all);
    }
}

bool ww_hashes_read(WwHashes *h, uint32_t threads, WwHashesFn progress, void *user, GError **error)
{
    uint64_t all = 0;
    guint n = h->waiting->len;
    for (guint i = 0; i < n; i++) {
        all += ((Entry *)h->waiting->pdata[i])->is.size;
    }
    Reading r = {.files = h->waiting};
    uint32_t begun = 0, most = MIN(threads, n);
    g_autofree pthread_t *thread = g_new(pthread_t, most);
    while (begun < most && ww_thread_begin(&thread[begun], work, &r)) {
        begun++;
    }
    if (begun > 0) {
        wait_for_all(&r, all, progress, user);
    } else { /* the system gives none */
        work(&r);
    }
    while (begun > 0) {
        pthread_join(thread[--begun], NULL); /* what they read is seen from here on */
    }
    for (guint i = 0; i < n; i++) {
        Entry *e = h->waiting->pdata[i];
        if (e->error != NULL) {
            g_propagate_error(error, g_steal_pointer(&e->error));
            return false;
        }
    }
    g_ptr_array_set_size(h->waiting, 0);
    return true;
}

const char *ww_hashes_of(const WwHashes *h, const char *path, uint64_t *bytes)
{
    g_autofree char *absolute = g_canonicalize_filename(path, NULL);
    const Entry *e = g_hash_table_lookup(h->entries, absolute);
    ww_assert(e != NULL && e->hash[0] != '\0');
    if (bytes != NULL) {
        *bytes = e->is.size;
    }
    return e->hash;
}
