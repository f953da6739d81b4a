/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log as a file. A compressed one is a stream of its own, which cuts what comes into frames of one size and has threads compress them, each for itself, so
 * that the bytes depend on the lines alone. Whoever writes waits for the oldest frame when all are in use, and compresses it if nobody has begun: there may be
 * no thread at all.
 */
#include <events/log.h>

#include <errno.h>
#include <string.h>
#include <warpwright/thread.h>
#include <zstd.h>

#define FRAME (2u << 20) /* Bytes of text; longer ones are hardly shorter compressed. */
#define LEVEL 1          /* a log is written while the run waits, and has much that repeats */
enum { MOST_THREADS = 4, MOST_FRAMES = MOST_THREADS + 2 };

typedef enum State {
    OPEN,  /* Text may come. */
    FULL,  /* Nobody compresses it yet. */
    TAKEN, /* Somebody does, */
    DONE,  /* and has. */
} State;

typedef struct Frame {
    State state;
    size_t n, n_packed; /* n_packed: or an error */
    char *text, *packed;
    ZSTD_CCtx *zst;
} Frame;

/* Frames are used in turns. */
typedef struct Packer {
    pthread_mutex_t lock;
    pthread_cond_t full, done;
    pthread_t thread[MOST_THREADS];
    Frame frame[MOST_FRAMES];
    uint32_t n_threads, n_frames;
    uint32_t first; /* The oldest one that is not in the file, */
    uint32_t used;  /* and so many before the one that is open. */
    bool any;       /* There has been one. */
    bool quit;
} Packer;

struct WwLogFile {
    WwOutput *output;
    bool begun;     /* It is known behind which bytes to go on; nothing is written before. */
    FILE *stream;   /* What lines go to: the output's, or one that compresses. */
    Packer *packer; /* NULL: plain. */
};

static void pack(Frame *f)
{
    f->n_packed = ZSTD_compress2(f->zst, f->packed, ZSTD_compressBound(FRAME), f->text, f->n);
}

/* One that is full, the oldest first; NULL: there is none. Under the lock. */
static Frame *take_full(Packer *p)
{
    for (uint32_t i = 0; i < p->used; i++) {
        Frame *f = &p->frame[(p->first + i) % p->n_frames];
        if (f->state == FULL) {
            f->state = TAKEN;
            return f;
        }
    }
    return NULL;
}

static void pack_taken(Packer *p, Frame *f)
{
    pthread_mutex_unlock(&p->lock);
    pack(f);
    pthread_mutex_lock(&p->lock);
    f->state = DONE;
    pthread_cond_signal(&p->done);
}

static void *work(void *user)
{
    Packer *p = user;
    pthread_mutex_lock(&p->lock);
    while (!p->quit) {
        Frame *f = take_full(p);
        if (f != NULL) {
            pack_taken(p, f);
        } else {
            pthread_cond_wait(&p->full, &p->lock);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* The oldest frame goes to the file. */
static bool write_first(WwLogFile *l)
{
    Packer *p = l->packer;
    Frame *f = &p->frame[p->first];
    pthread_mutex_lock(&p->lock);
    if (f->state == FULL) {
        f->state = TAKEN;
        pack_taken(p, f);
    }
    while (f->state != DONE) {
        pthread_cond_wait(&p->done, &p->lock);
    }
    p->first = (p->first + 1) % p->n_frames;
    p->used--;
    pthread_mutex_unlock(&p->lock);
    f->state = OPEN;
    f->n = 0;
    if (ZSTD_isError(f->n_packed)) {
        errno = ENOMEM; /* there is no other reason */
        return false;
    }
    return fwrite(f->packed, 1, f->n_packed, ww_output_file(l->output)) == f->n_packed;
}

static Frame *open_frame(Packer *p)
{
    return &p->frame[(p->first + p->used) % p->n_frames];
}

/* The open one is full, or nothing comes for it any more. There is another one then. */
static bool close_frame(WwLogFile *l)
{
    Packer *p = l->packer;
    pthread_mutex_lock(&p->lock);
    open_frame(p)->state = FULL;
    p->used++;
    p->any = true;
    pthread_cond_signal(&p->full);
    pthread_mutex_unlock(&p->lock);
    return p->used < p->n_frames || write_first(l);
}

static ssize_t take(void *cookie, const char *text, size_t size)
{
    WwLogFile *l = cookie;
    for (size_t done = 0; done < size;) {
        Frame *f = open_frame(l->packer);
        size_t n = MIN(size - done, FRAME - f->n);
        memcpy(f->text + f->n, text + done, n);
        f->n += n;
        done += n;
        if (f->n == FRAME && !close_frame(l)) {
            return 0;
        }
    }
    return (ssize_t)size;
}

/* All that came is in the file. */
static bool write_frames(WwLogFile *l)
{
    Packer *p = l->packer;
    bool good = open_frame(p)->n == 0 || close_frame(l);
    while (p->used != 0) {
        good = write_first(l) && good;
    }
    return good;
}

static bool end_frame(WwLogFile *l)
{
    return fflush(l->stream) == 0 && !ferror(l->stream) && write_frames(l);
}

static int fail_later(int why)
{
    errno = why;
    return -1;
}

/* The stream's last words: a file without a frame would be none of zstd's. */
static int end(void *cookie)
{
    WwLogFile *l = cookie;
    if (!l->begun) {
        return 0;
    }
    bool good = l->packer->any || close_frame(l);
    return write_frames(l) && good ? 0 : fail_later(errno);
}

static void free_packer(Packer *p)
{
    if (p == NULL) {
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->full);
    pthread_mutex_unlock(&p->lock);
    for (uint32_t i = 0; i < p->n_threads; i++) {
        pthread_join(p->thread[i], NULL);
    }
    for (uint32_t i = 0; i < p->n_frames; i++) {
        ZSTD_freeCCtx(p->frame[i].zst);
        g_free(p->frame[i].text);
        g_free(p->frame[i].packed);
    }
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->full);
    pthread_cond_destroy(&p->done);
    g_free(p);
}

/* False: there is no memory. */
static bool make_frame(Frame *f)
{
    f->zst = ZSTD_createCCtx();
    if (f->zst == NULL) {
        return false;
    }
    ZSTD_CCtx_setParameter(f->zst, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(f->zst, ZSTD_c_checksumFlag, 1);
    f->text = g_malloc(FRAME);
    f->packed = g_malloc(ZSTD_compressBound(FRAME));
    return true;
}

/* A thread for each processor but the run's; whoever writes compresses, too. */
static bool start_compressing(WwLogFile *l, const char *path, GError **error)
{
    Packer *p = l->packer = g_new0(Packer, 1);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->full, NULL);
    pthread_cond_init(&p->done, NULL);
    uint32_t threads = MIN(g_get_num_processors(), MOST_THREADS + 1) - 1;
    while (p->n_threads < threads && ww_thread_begin(&p->thread[p->n_threads], work, p)) {
        p->n_threads++;
    }
    bool good = true;
    for (uint32_t n = p->n_threads + 2; good && p->n_frames < n; p->n_frames++) {
        good = make_frame(&p->frame[p->n_frames]);
    }
    l->stream =
        good ? fopencookie(l, "w", (cookie_io_functions_t){.write = take, .close = end}) : NULL;
    return l->stream != NULL ||
           ww_fail(error, WW_ERROR_SYSTEM, "'%s': cannot start the zstd compressor", path);
}

WwLogFile *ww_log_new(const char *path, bool resumable, GError **error)
{
    WwLogFile *l = g_new0(WwLogFile, 1);
    l->begun = !resumable;
    l->output = resumable ? ww_output_resumable(path, error) : ww_output_new(path, error);
    if (l->output == NULL) {
        g_free(l);
        return NULL;
    }
    if (!g_str_has_suffix(path, ".zst")) {
        l->stream = ww_output_file(l->output);
    } else if (!start_compressing(l, path, error)) {
        ww_log_drop(l);
        return NULL;
    }
    setvbuf(l->stream, NULL, _IONBF, 0); /* a machine writes great pieces */
    ww_output_unhurried(l->output);
    return l;
}

FILE *ww_log_stream(WwLogFile *l)
{
    return l->stream;
}

bool ww_log_any(const WwLogFile *l)
{
    const Packer *p = l->packer;
    return p != NULL ? p->any || p->frame[(p->first + p->used) % p->n_frames].n != 0
                     : ftello(l->stream) != 0;
}

static bool cannot(int why, GError **error)
{
    return ww_fail(error, WW_ERROR_SYSTEM, "the log: %s; expected room for it", g_strerror(why));
}

bool ww_log_sum(WwLogFile *l, uint64_t *bytes, uint64_t *sum, GError **error)
{
    return (l->packer == NULL || end_frame(l) || cannot(errno, error)) &&
           ww_output_sum(l->output, bytes, sum, error);
}

bool ww_log_from(WwLogFile *l, uint64_t bytes, uint64_t sum, GError **error)
{
    if (l->packer != NULL) {
        l->packer->any = bytes != 0;
    }
    l->begun = ww_output_from(l->output, bytes, sum, error);
    return l->begun;
}

static void forget(WwLogFile *l)
{
    free_packer(l->packer);
    g_free(l);
}

bool ww_log_keep(WwLogFile *l, const char *words, GError **error)
{
    bool packed = l->packer == NULL || fclose(l->stream) == 0;
    int why = errno;
    bool good = ww_output_finish(l->output, error) && (packed || cannot(why, error));
    if (good) {
        good = ww_output_keep(l->output, words, error);
    } else {
        g_prefix_error(error, "%s", words);
        ww_output_drop(l->output);
    }
    forget(l);
    return good;
}

void ww_log_drop(WwLogFile *l)
{
    if (l == NULL) {
        return;
    }
    if (l->packer != NULL && l->stream != NULL) {
        fclose(l->stream);
    }
    ww_output_drop(l->output);
    forget(l);
}
