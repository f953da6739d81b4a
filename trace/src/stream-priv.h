/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Bytes of a plain, `.xz` or `.zst` file, and lines cut from them, in bounded memory.
 */
#pragma once

#include <string.h>
#include <warpwright/heap.h>

/** Bytes that the xz decoder may take; a file that asks for more is refused (xz -9 asks for
 * 65 MiB). */
#define WW_STREAM_MEMORY (256u << 20)
/** Largest window of a zstd frame, as a power of two (zstd --ultra --long asks for 27). */
#define WW_STREAM_WINDOW_LOG 27

typedef struct WwStream WwStream;

/**
 * Opens @p path. The format follows the first bytes; a name that ends in `.xz`, `.zst` or `.tracez`
 * must hold that format.
 */
WwStream *ww_stream_open(const char *path, GError **error);
/** The same for a kernel trace, whose text is read as tracer version 5 writes it, whatever version wrote it (version6.c). */
WwStream *ww_stream_open_trace(const char *path, GError **error);
void ww_stream_free(WwStream *stream);
/** Nothing is likely to be opened soon: frees what is kept of one for the next. */
void ww_stream_forget(void);

/**
 * Shall whoever reads stop, and what it reads be not whole? A signal has come, and somebody waits: nobody does for what is read ahead, which a
 * checkpoint may still need (ahead.c).
 */
bool ww_trace_interrupted(void);

/**
 * Up to @p size decompressed bytes into @p out, their number into *@p n; 0 is the end of the file.
 * On bad data sets @p why to a text (static) and returns false, so that the caller can add the
 * line.
 */
bool ww_stream_read(WwStream *stream, void *out, size_t size, size_t *n, const char **why);
/** When that failed: what stands for `cannot read on: `@p why`; expected a complete file` if it was the text; NULL: it was not. */
const char *ww_stream_expected(const WwStream *stream);

/** From its beginning on: reads @p n bytes and forgets them; of plain text, unless it is a kernel trace, they are not even read. False, with @p why,
 * when the file has less. */
bool ww_stream_skip(WwStream *stream, uint64_t n, const char **why);

/**
 * From here on, its text is unpacked ahead of whoever reads it, by a thread of its own: they see the same bytes and the same failure behind them. Nothing
 * happens when there is little to unpack, or the system gives no thread. May be called again.
 */
void ww_stream_ahead(WwStream *stream);

/** Reads as ww_stream_read() does. */
typedef bool (*WwUnpackFn)(WwStream *stream, void *out, size_t size, size_t *n, const char **why);

/** What an error code of the zstd decoder means to who reads a file. */
const char *ww_zst_reason(size_t code);

/** Reads a `.tracez` (tracez.c). */
typedef struct WwTracez WwTracez;
struct ZSTD_DCtx_s;
/** Of @p fd, whose first @p header bytes are text and NUL the next; unpacks with @p zst, which takes windows as large as it is told. NULL, with @p why,
 * for what is none. */
WwTracez *ww_tracez_new(int fd, struct ZSTD_DCtx_s *zst, uint64_t header, const char **why);
/** As WwUnpackFn: what the tracer would have written as text. */
bool ww_tracez_read(WwTracez *tracez, void *out, size_t size, size_t *n, const char **why);
void ww_tracez_free(WwTracez *tracez);

/** Makes version 5 of the text of version 6 (version6.c). */
typedef struct WwVersion6 WwVersion6;
WwVersion6 *ww_version6_new(void);
/** As WwUnpackFn, of what @p below reads of @p stream. */
bool ww_version6_read(WwVersion6 *version6, WwUnpackFn below, WwStream *stream, void *out,
                      size_t size, size_t *n, const char **why);
/** What a line that was refused should have had; NULL: none was. */
const char *ww_version6_expected(const WwVersion6 *version6);
void ww_version6_free(WwVersion6 *version6);

/** The thread that does it (unpack.c). */
typedef struct WwUnpacker WwUnpacker;
/** It rests, and does not touch @p of, until it is started; NULL: the system gives no thread. */
WwUnpacker *ww_unpacker_new(WwStream *of, WwUnpackFn read);
/** From rest; now ww_unpacker_read() takes what @p of has. */
void ww_unpacker_start(WwUnpacker *unpacker);
/** As WwUnpackFn. */
bool ww_unpacker_read(WwUnpacker *unpacker, void *out, size_t size, size_t *n, const char **why);
/** It rests when this returns, and has forgotten what nobody has read. */
void ww_unpacker_stop(WwUnpacker *unpacker);
/** Not while it works. */
void ww_unpacker_free(WwUnpacker *unpacker);

/** Lines of a stream. Fields are for lines.c and the inline function below. */
typedef struct WwLines {
    WwHeap *heap;    /**< Where all of it lives but the stream. */
    uint32_t stream; /**< Handle. */
    bool trace;      /**< It is a kernel trace's. */
    uint64_t bytes;  /**< Read from the stream so far. */
    char *file;      /**< For errors. */
    char *buf;       /**< cap + WW_LINES_SLACK bytes. */
    size_t cap;
    size_t begin;   /**< First byte not yet returned. */
    size_t scanned; /**< No newline in [begin, scanned). */
    size_t end;     /**< End of the bytes read. */
    size_t max_line;
    uint64_t line; /**< Number of the line returned last. */
    bool eof;
    bool again; /**< Return the last line once more. */
    char *last;
    size_t last_len;
    char cut; /**< What stood at last[last_len]. */
} WwLines;

/** Bytes after the buffer that may be touched: the terminator of a last line without newline. */
#define WW_LINES_SLACK 16u

bool ww_lines_open(WwLines *lines, WwHeap *heap, const char *path, uint64_t max_line,
                   GError **error);
/** The same for a kernel trace, as ww_stream_open_trace() reads it. */
bool ww_lines_open_trace(WwLines *lines, WwHeap *heap, const char *path, uint64_t max_line,
                         GError **error);
void ww_lines_close(WwLines *lines);
/** For the end of a message about the line that was returned last: that the file ends in it, which has no newline; or nothing. */
static inline const char *ww_lines_cut_off(const WwLines *l)
{
    bool off = l->eof && l->begin == l->end && l->end != 0 && l->buf[l->end - 1] != '\n';
    return off ? ": the file is cut off in this line" : "";
}
/** No more lines are wanted, but the name and the number of the last one may be: closes the file. */
void ww_lines_end(WwLines *lines);
/** Its file is unpacked ahead from here on, as ww_stream_ahead() does. */
void ww_lines_ahead(const WwLines *lines);
/** Right after opening: goes to behind the first @p bytes bytes, which are @p n lines. */
bool ww_lines_skip(WwLines *lines, uint64_t bytes, uint64_t n, GError **error);

/** In a new process, with all else as it was: opens the file anew and goes to where reading stood. */
bool ww_lines_reopen(WwLines *lines, GError **error);

/**
 * The next line into *@p line (NULL at the end of the file) without newline and trailing blanks,
 * NUL-terminated in place; valid until the next call. NUL bytes inside a line are left for the
 * parser to stumble on.
 */
bool ww_lines_next(WwLines *lines, char **line, size_t *len, GError **error);

/** The next call of ww_lines_next() returns the same line again. */
void ww_lines_unget(WwLines *lines);

/** Line number for errors: 1-based, saturated. */
static inline uint32_t ww_lines_number(const WwLines *lines)
{
    return lines->line > UINT32_MAX ? UINT32_MAX : (uint32_t)lines->line;
}
