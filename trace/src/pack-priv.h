/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Trace packs: what their writer and their reader share. docs/traces.md has the bytes.
 */
#pragma once

#include "trace-priv.h"

#define WW_PACK_MAGIC "\x89WWPACK\n"
#define WW_PACK_END "WWPKEND\n"
#define WW_PACK_VERSION 1u
#define WW_PACK_HEAD 16u           /**< Bytes of the head: magic, version, zeros. */
#define WW_PACK_TAIL 40u           /**< Bytes of the tail. */
#define WW_PACK_INDEX (256u << 20) /**< Most bytes of an index; */
#define WW_PACK_INDEX_SMALL                                                                        \
    (96u << 20) /**< of a small one, which has a list of 64 MiB and a large code; */
#define WW_PACK_INDEX_RATIO 1024u /**< and so many more for each compressed one. */
/* An index says little with few bytes, but what is made of it has some for each: as much memory as a small one may need, and so many bytes more for each. */
#define WW_PACK_ROOM (256u << 20)
#define WW_PACK_ROOM_RATIO 512u
#define WW_PACK_FRAME 9u           /**< No zstd frame has fewer bytes. */
#define WW_PACK_SEGMENT (1u << 20) /**< A segment ends when it has so many bytes, */
#define WW_PACK_CTAS (256u << 10)  /**< and, after a CTA, when it has so many. */
#define WW_PACK_MOST (WW_PACK_SEGMENT + (64u << 10)) /**< No segment has more. */
#define WW_PACK_BLANKS 64u /**< Most blank lines between two parts of a text. */

/** Of the bytes of a segment, in this order. */
typedef enum WwPackColumn {
    WW_PACK_HEADS,   /**< Thread blocks and warps. */
    WW_PACK_CONTROL, /**< What is as predicted. */
    WW_PACK_IDS,
    WW_PACK_MASKS,
    WW_PACK_BASES,
    WW_PACK_SHAPES,
    WW_PACK_MORE, /**< Bytes of their numbers but the first. */
    WW_PACK_COLUMNS
} WwPackColumn;

/** Blank lines of a text, and how its lines end: a tracer's own way, which is the same in the whole file. */
typedef struct WwPackStyle {
    uint32_t before_id;   /**< Blank lines between #BEGIN_TB and the thread block's id, */
    uint32_t before_warp; /**< from there to the first warp, */
    uint32_t after_warp;  /**< behind each warp but the last, */
    uint32_t after_last;  /**< behind the last, */
    uint32_t between;     /**< behind #END_TB, when another thread block follows, */
    uint32_t at_end;      /**< and when none does; counted in newlines. */
    uint32_t pc_digits;   /**< At least so many. */
    uint32_t empty_blank; /**< 1: one more blank where a list of addresses is empty. */
    uint32_t no_imm;      /**< 1: no immediate stands behind addresses, as with old tracers. */
    uint32_t line_blank;  /**< 1: a blank stands at the end of each instruction line. */
} WwPackStyle;
#define WW_PACK_STYLE_N (sizeof(WwPackStyle) / sizeof(uint32_t))

/** A piece of a kernel's instructions. */
typedef struct WwPackSegment {
    uint64_t at;          /**< Byte of the file. */
    uint32_t size, bytes; /**< Compressed, and not. */
    uint64_t first_cta;   /**< Thread blocks that begin before it. */
    uint32_t ctas;        /**< That begin in it. */
    bool fresh;           /**< It begins with one, and nothing before it is needed. */
} WwPackSegment;

/** A kernel trace in a pack. */
typedef struct WwPackKernel {
    const char *name;
    const char *header; /**< Its text, to the first #BEGIN_TB. */
    uint32_t n_header;
    uint32_t code; /**< Number of its code. */
    bool exact;    /**< Unpacking gives the same bytes. */
    bool single;   /**< Not named by a list. */
    WwPackStyle style;
    uint64_t ctas;
    uint32_t n_segments;
    WwPackSegment *segments;
} WwPackKernel;

/** One static instruction. */
typedef struct WwPackCode {
    const char *text; /**< Behind the mask; of one with addresses to their mode. */
    uint64_t pc;
    uint64_t number; /**< Of the source line, when the trace has them. */
    uint32_t n, line;
    int32_t imm;
    bool has_addr;
} WwPackCode;

typedef struct WwPackCodes {
    WwPackCode *code;
    uint32_t n;
} WwPackCodes;

/** An open pack: its index. All in the trace's heap but the file. */
struct WwPack {
    WwHeap *heap;
    uint32_t file; /**< Handle. */
    char *path;
    uint64_t bytes;    /**< Of the file. */
    char *list;        /**< The list's text; "" without one. */
    uint32_t *entries; /**< Number of its kernel, for each kernel command. */
    uint32_t n_entries, n_kernels, n_codes;
    WwPackKernel *kernels;
    WwPackCodes *codes;
};

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

static inline uint8_t *ww_put_number(uint8_t *p, uint64_t value)
{
    for (; value > 127; value >>= 7) {
        *p++ = (uint8_t)(value | 128);
    }
    *p++ = (uint8_t)value;
    return p;
}

static inline uint64_t ww_fold(uint64_t value)
{
    return value << 1 ^ (0 - (value >> 63));
}

static inline uint64_t ww_unfold(uint64_t value)
{
    return value >> 1 ^ (0 - (value & 1));
}

/** Bytes that are read. `bad` once they were not enough, or no number. */
typedef struct WwPackBytes {
    const uint8_t *p, *end;
    bool bad;
} WwPackBytes;

static inline uint64_t ww_get_number(WwPackBytes *b)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64 && b->p < b->end; shift += 7) {
        value |= (uint64_t)(*b->p & 127) << shift;
        if (*b->p++ < 128) {
            return value;
        }
    }
    b->bad = true;
    return 0;
}

/** Memory that may still be taken for what an index says: takes @p n bytes of it; once false, it is 0. */
static inline bool ww_pack_afford(uint64_t *room, uint64_t n)
{
    bool good = n <= *room;
    *room = good ? *room - n : 0;
    return good;
}

/* ---- prediction: writer and reader do the same (pack_model.c) ------------------------------------------------------- */

#define WW_PACK_NONE UINT32_MAX
#define WW_PACK_NEXT 4096u    /**< Entries of the table of followers, */
#define WW_PACK_FIRSTS 16384u /**< and of that of first addresses of warps. */

/** Which guess of a base address was right lately. */
enum { WW_PACK_GUESSES = 3 };

/** What is known of a static instruction's executions. */
typedef struct WwPackSlot {
    WwAddrBlock *shape;  /**< Its last addresses, those of a list from the first on; NULL: none. */
    uint64_t base, step; /**< Last, and how far it moved in the warp; */
    uint64_t diff;       /**< from the access before, of whatever instruction; */
    uint64_t first, warps; /**< of its first execution in the warp, from that of the warp before; */
    uint64_t ctas;         /**< from that of the same warp of the CTA before. */
    uint64_t warp;         /**< That executed it last: its number in the segment. */
    uint32_t mask;         /**< Its last, */
    uint32_t lanes;        /**< and that of its last addresses. */
    uint8_t score[2][WW_PACK_GUESSES];
} WwPackSlot;

typedef struct WwPackModel {
    WwHeap *heap;
    WwPackSlot *slot; /**< By static instruction. */
    uint32_t n_slots;
    uint32_t id[2]; /**< The last two. */
    uint32_t mask, first_mask;
    uint32_t warp;      /**< In its CTA, */
    uint64_t serial;    /**< and in the segment. */
    uint64_t before;    /**< Base of the access before, */
    uint32_t before_id; /**< and who that was. */
    uint32_t next[WW_PACK_NEXT];
    uint64_t firsts[WW_PACK_FIRSTS];
    /* of the thread blocks */
    uint32_t cta[3];
    uint32_t n_insts[WW_MAX_WARPS]; /**< Of the warps of the CTA before. */
    uint8_t order[WW_MAX_WARPS];    /**< And their order. */
} WwPackModel;

WwPackModel *ww_pack_model_new(WwHeap *heap, uint32_t n_slots);
void ww_pack_model_free(WwPackModel *model);
/** As new. */
void ww_pack_model_reset(WwPackModel *model);

/** A warp begins: number @p warp of its CTA. */
void ww_pack_model_warp(WwPackModel *model, uint32_t warp);

static inline uint32_t *ww_pack_next(WwPackModel *m)
{
    return &m->next[(m->id[0] * 0x9E3779B1u ^ m->id[1] * 0x85EBCA6Bu) >> 7 & (WW_PACK_NEXT - 1)];
}

static inline void ww_pack_learn(WwPackModel *m, uint32_t *next, uint32_t id, uint32_t mask)
{
    if (m->id[0] == WW_PACK_NONE) {
        m->first_mask = mask;
    }
    *next = id;
    m->id[1] = m->id[0];
    m->id[0] = id;
    m->mask = mask;
    m->slot[id].mask = mask;
}

/** The next thread block is expected behind @p id. */
void ww_pack_learn_cta(WwPackModel *model, const uint32_t id[3], const uint32_t grid[3]);

/** What is expected of the addresses of an instruction. */
typedef struct WwPackGuess {
    uint64_t base[WW_PACK_GUESSES];
    uint64_t last;            /**< Where its last execution had the first of these lanes. */
    uint32_t best;            /**< The base to be believed. */
    const WwAddrBlock *shape; /**< NULL: none. */
    WwAddrRoom room;
} WwPackGuess;

/** What is expected of the addresses of static instruction @p id on lanes @p mask. */
void ww_pack_guess(const WwPackModel *model, uint32_t id, uint32_t mask, WwPackGuess *guess);
/** They are @p block, as expected but for the base, or not. */
void ww_pack_learn_addresses(WwPackModel *model, uint32_t id, uint32_t mask,
                             const WwPackGuess *guess, const WwAddrBlock *block);

/** The shape of the access before, if it was on the same lanes; NULL: none. */
static inline const WwAddrBlock *ww_pack_shape_before(const WwPackModel *m, uint32_t mask)
{
    const WwPackSlot *s = m->before_id < m->n_slots ? &m->slot[m->before_id] : NULL;
    return s != NULL && s->lanes == mask ? s->shape : NULL;
}
/** In place of a mode: the shape of the access before. */
#define WW_PACK_SHAPE_BEFORE 3u

/** Addresses of a list or deltas that a block with @p mask has. */
static inline uint32_t ww_pack_n(uint32_t mode, uint32_t mask)
{
    uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    return mode == WW_ADDR_LIST ? lanes : mode == WW_ADDR_DELTA && lanes > 0 ? lanes - 1 : 0;
}

/** What a list calls its base: its first address. */
static inline uint64_t ww_pack_base(const WwAddrBlock *b)
{
    return b->mode != WW_ADDR_LIST ? b->base : b->n > 0 ? (uint64_t)ww_addr_values(b)[0] : 0;
}

/* Bits of a token in WW_PACK_CONTROL; without WW_PACK_TOKEN it says how many are as predicted. */
enum {
    WW_PACK_TOKEN = 128,
    WW_PACK_NEW_ID = 1,
    WW_PACK_OLD_MASK = 2, /**< The mask is the instruction's last. */
    WW_PACK_NEW_MASK = 4,
    WW_PACK_NEW_BASE = 8,
    WW_PACK_NEW_SHAPE = 16,
    WW_PACK_LONG_RUN = 127,
};

/* ---- code (pack_code.c) ---------------------------------------------------------------------------------------------- */

/** Static instructions as bytes of the index. */
void ww_pack_put_code(GByteArray *out, const WwPackCode *code, uint32_t n);
/** The same back, in memory of @p heap, of which there is @p room; NULL: they are no such bytes, not all of @p in, or too many. */
WwPackCode *ww_pack_get_code(WwHeap *heap, WwPackBytes *in, uint64_t *room, uint32_t *n);

/* ---- text (pack_text.c) ---------------------------------------------------------------------------------------------- */

/** Where text goes; false stops. */
typedef bool (*WwPackSink)(void *user, const char *text, size_t n, GError **error);

/** Writes the thread block in @p cta as a tracer does, in the style of @p kernel; @p first: none was before. */
bool ww_pack_text(const WwPackKernel *kernel, const WwPackCode *code, const WwKernelReader *reader,
                  const WwCtaBuf *cta, bool first, WwPackSink sink, void *user, GError **error);

/* ---- the file (pack_file.c) ------------------------------------------------------------------------------------------ */

/** What both sides know before: what headers and opcodes usually are. */
extern const char ww_pack_dictionary[];
extern const size_t ww_pack_dictionary_size;

/** Does the file begin like a pack? */
bool ww_pack_is(const char *path);
/** Opens @p path, which is one, and reads its index, all into @p heap. */
WwPack *ww_pack_open(WwHeap *heap, const char *path, GError **error);
void ww_pack_close(WwPack *pack);
/** Reads every byte of it: are they those that were written? */
bool ww_pack_check(const WwPack *pack, GError **error);
/** What the @p bytes bytes of an index say, which are @p size compressed ones at byte @p at of the file, into @p pack. */
bool ww_pack_index(WwPack *pack, const uint8_t *raw, uint64_t bytes, uint64_t at, uint64_t size,
                   GError **error);
/** @p bytes bytes, of @p size compressed ones at byte @p at of the file. */
bool ww_pack_bytes(WwPack *pack, uint64_t at, uint32_t size, uint32_t bytes, uint8_t *out,
                   GError **error);

/* ---- reading (pack_read.c) ------------------------------------------------------------------------------------------- */

/** Begins to read kernel @p number of the index: its header's lines come from the reader now. */
bool ww_pack_kernel_open(WwKernelReader *kernel, uint32_t number, GError **error);
/** After them. */
bool ww_pack_kernel_begin(WwKernelReader *kernel, GError **error);
void ww_pack_kernel_close(WwKernelReader *kernel);
/** The next CTA into @p cta, which is empty. */
bool ww_pack_cta_read(WwKernelReader *kernel, WwCtaBuf *cta, GError **error);
/** The next @p count instructions of its warp, for which there is room. */
bool ww_pack_lines(WwKernelReader *kernel, WwCtaBuf *cta, uint32_t count, GError **error);
/** That all was read when the last CTA was. */
bool ww_pack_kernel_end(WwKernelReader *kernel, GError **error);

/** Decodes @p code, the next in the kernel's table (decode.c). */
bool ww_decode_static(WwKernelReader *kernel, const WwPackCode *code, GError **error);
