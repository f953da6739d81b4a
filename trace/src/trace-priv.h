/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What the files of the trace reader share: the command list, the instruction table, an open
 * kernel, a CTA's buffers.
 */
#pragma once

#include "listing-priv.h"
#include "names-priv.h"
#include "stream-priv.h"

#include "opcode-priv.h"
#include <ports/packed.h>
#include <ports/trace_source.h>
#include <trace/trace.h>

#include <string.h>

#define WW_TRACE_MAX_LINE (1u << 20)      /**< Default of WwTraceOptions.max_line_bytes. */
#define WW_TRACE_MAX_THREADS 2048u        /**< Threads of a CTA. */
#define WW_TRACE_MAX_SINSTS (1u << 20)    /**< Distinct instruction lines of a kernel. */
#define WW_TRACE_MAX_CTA_INSTS (1u << 28) /**< Warp instructions of a CTA. */
#define WW_TRACE_FLAT_INSTS 8192u         /**< A warp with more is packed, */
#define WW_TRACE_FLAT_ADDR (1u << 20) /**< and the warps of a CTA with more words of addresses. */
#define WW_TRACE_MAX_COPY (UINT64_C(1) << 40) /**< Bytes of a copy: more than any GPU has. */
#define WW_TRACE_MAX_COMMANDS (1u << 20)      /**< Kernels and copies of a list, */
#define WW_TRACE_MAX_LIST (1u << 22)          /**< and its lines. */
#define WW_TRACE_MAX_HEADER 4096u             /**< Lines of a header. */
#define WW_TRACE_MAX_BLANK 65536u             /**< Blank lines in a row. */
#define WW_TRACE_MAX_WARNINGS 100u /**< Further unknown opcodes are counted, not announced. */

typedef struct WwPack WwPack;
typedef struct WwPackReader WwPackReader;

/** No index into the trace's unknown opcodes. */
#define WW_NOT_UNKNOWN UINT32_MAX

/** One command of the list. */
typedef struct WwListEntry {
    WwCommandKind kind;
    uint32_t line;    /**< Line of the list. */
    uint32_t ordinal; /**< Kernels: 1, 2, ... over the whole list. */
    char *name;       /**< As written in the list. */
    char *path;       /**< Kernels: the file on disk, or the pack and the name in it. */
    uint32_t in_pack; /**< Kernels: number in the pack. */
    uint64_t address, bytes;
} WwListEntry;

typedef struct WwList {
    char *file;
    const WwPack *pack; /**< That it is of. */
    WwListEntry *entries;
    uint32_t n, n_kernels;
    uint32_t n_unknown, unknown_line; /**< Lines that say nothing known; the first. */
    char unknown[48];
} WwList;

/** Reads the list at @p path, or makes one of a directory or a single kernel trace. @p pack: takes that of it; NULL: it is none. */
bool ww_list_read(WwList *list, const char *path, const WwPack *pack, const WwTraceOptions *options,
                  GError **error);
void ww_list_clear(WwList *list);

/**
 * What stood behind the base address when a line was executed last: strides and deltas rarely
 * change between executions, so that their text need not be read again.
 */
typedef struct WwAddrMemo {
    uint32_t mask;
    uint32_t len, cap; /**< Of text; room for WW_LINES_SLACK bytes more is behind. */
    char *text; /**< From behind the base to the end of the line; len 0: nothing remembered. */
    WwAddrBlock *
        block; /**< Room for WW_WARP_SIZE values; shared: those that executions from now on have. */
} WwAddrMemo;

/** Would the same text say the same on the lanes of @p mask? A stride does on any, deltas on as many. False: nothing is remembered. */
static inline bool ww_memo_fits(const WwAddrMemo *m, uint32_t mask)
{
    return m->len != 0 && (m->mask == mask || m->block->mode == WW_ADDR_STRIDE ||
                           __builtin_popcount(m->mask) == __builtin_popcount(mask));
}

/** Longest text that a memo keeps: 31 deltas of the usual size. */
#define WW_ADDR_MEMO_MAX 1024u

/** A line as bytes, for ww_follow(): equal bytes need not be parsed. */
typedef struct WwLineBytes {
    uint64_t pc, pc_used; /**< PC and the blank behind it, at most 8 bytes; those that count. */
    uint64_t mask_text;   /**< The mask's eight digits, when it stood there last, */
    uint32_t mask;        /**< and what they say. */
    uint32_t n_pc;        /**< Bytes of pc; 0: the line cannot be told by bytes. */
    uint32_t n;           /**< Bytes behind the mask: to the newline, or to the address mode. */
    uint64_t *text, last_used; /**< Those bytes; which of the last word count. */
} WwLineBytes;

/** A remembered line: what stands after the mask, up to the addresses. */
typedef struct WwLineEntry {
    struct WwLineEntry *next[2]; /**< Which line followed, last time and before; never NULL. */
    WwLineBytes bytes;
    uint64_t pc;
    const char *text;
    uint64_t hash;
    uint32_t len;
    uint32_t sinst;
    uint32_t
        unknown; /**< Index of the trace's unknown opcode, or WW_NOT_UNKNOWN: not told yet, or known. */
    bool odd;         /**< No map knows its opcode: */
    uint64_t seen_in; /**< number of the CTA, from 1, that had it last, */
    uint32_t seen_at; /**< and its place in that one's list. */
    int32_t imm;
    uint64_t number; /**< Of the source line, when it was seen first and the trace has them. */
    WwAddrMemo memo;
    bool has_addr;
    bool exits;
    bool special; /**< ww_follow() must look closer: has_addr, odd or exits. */
} WwLineEntry;

/** An unknown opcode in a CTA, @p n times. */
typedef struct WwOdd {
    WwLineEntry *entry;
    uint64_t n;
} WwOdd;

/** Instruction table of a kernel. */
typedef struct WwSinstTable {
    const WwSinst **sinst; /**< By id. Does not move while it is used: */
    WW_HEAP_LIST(const WwSinst **)
    outgrown;            /**< CTAs read before may still be looked at with these. */
    WwLineEntry **entry; /**< By id. */
    uint32_t n, cap;
    uint32_t *index; /**< Open addressing over (pc, text, imm): id + 1. */
    uint32_t index_mask;
    WwLineEntry **recent; /**< By pc: the line seen last there; direct mapped. */
    uint32_t recent_mask;
    WwNames opcodes;                  /**< Each opcode once. */
    WW_HEAP_LIST(int64_t *) patterns; /**< What shared address values are kept in, */
    WwHeap *heap;
} WwSinstTable;

#define WW_TRACE_MAX_PATTERNS 4096u /**< as many of a kernel: 1 MB. Further ones are copied. */

/** All of it is in memory of @p heap. */
void ww_sinst_table_init(WwSinstTable *table, WwHeap *heap);
void ww_sinst_table_clear(WwSinstTable *table);

static inline WwLineEntry **ww_sinst_recent(const WwSinstTable *table, uint64_t pc)
{
    return &table->recent[(pc >> 3) & table->recent_mask];
}

/** The remembered line, or NULL. */
WwLineEntry *ww_sinst_find(const WwSinstTable *table, uint64_t pc, const char *text, uint32_t len,
                           int32_t imm);

/** Adds a line that ww_sinst_find() does not know. @p sinst: all but id and opcode's ownership;
 * copied. */
WwLineEntry *ww_sinst_add(WwSinstTable *table, const WwSinst *sinst, const char *text,
                          uint32_t len);

#define WW_ADDR_WORDS (sizeof(WwAddrBlock) / sizeof(uint64_t)) /**< Of a block without values. */
#define WW_MAX_ADDR_WORDS (WW_ADDR_WORDS + WW_WARP_SIZE)

/** An address offset has 32 bits; no CTA within the instruction limit may pass it unnoticed. */
#define WW_MAX_CTA_ADDR_WORDS ((size_t)UINT32_MAX - WW_MAX_ADDR_WORDS)

struct WwKernelReader;

/** The first warp of a CTA that goes on after the EXIT of its last lane. */
typedef struct WwStays {
    uint32_t line; /**< Where that EXIT stands; 0: there is none. */
    uint32_t warp;
} WwStays;

/** A CTA in memory. Its buffers are used again for later CTAs. */
typedef struct WwCtaBuf {
    WwCtaTrace pub;
    WwTrace *trace;
    const struct WwKernelReader *kernel; /**< Of which it was read last. */
    WwHeap *heap;
    struct WwCtaBuf *next; /**< Of the free ones, or of those that are ready. */
    const WwSinst **sinst; /**< The kernel's instructions when it was read, */
    uint32_t n_sinst;      /**< and how many there were. */
    WW_HEAP_LIST(WwOdd) odd;
    WwStays stays;
    char *failure; /**< Why it is not whole; NULL: it is. */
    WwErrorCode failure_code;
    WwTinst *inst; /**< All warps' instructions, in file order. */
    size_t n_inst, cap_inst;
    uint64_t *addr;
    size_t n_addr, cap_addr;
    size_t first[WW_MAX_WARPS];
    const WwTinst *warp[WW_MAX_WARPS];
    bool has_packed;                /**< Some warp of it is packed. */
    WwPacked *packed[WW_MAX_WARPS]; /**< NULL: the warp is flat. */
    uint32_t n_insts[WW_MAX_WARPS];
    uint8_t order[WW_MAX_WARPS]; /**< Of its warps, as they were read. */
    uint32_t n_order;
    uint64_t n_read; /**< Instructions of this CTA, packed ones, too. */
    /* of the warp that is being read */
    uint32_t reading;   /**< Its number. */
    uint32_t lanes;     /**< That have not exited. */
    uint32_t exit_line; /**< Where the last of them did; 0: not yet. */
    size_t last_exit;   /**< Number of that instruction in its warp, from 1. */
    size_t origin;      /**< n_inst - origin: instructions of the warp. */
} WwCtaBuf;

/** Room for a CTA's instructions or addresses that the one before has left; `cap` 0: none. */
typedef struct WwSpare {
    void *at;
    size_t cap, item; /**< Items, and bytes of one. */
} WwSpare;

/** An open kernel trace. */
typedef struct WwKernelReader {
    WwKernel pub;
    WwTrace *trace;
    struct WwKernelReader *prev, *next; /**< Of the open ones. */
    WwLines lines;
    WwPackReader *pack; /**< Where it comes from a pack; NULL: from text. */
    WwSinstTable table;
    WwLineEntry *last; /**< The line before; NULL: none. */
    char *name;
    uint64_t ctas_in_grid; /**< Before max_ctas. */
    uint64_t ctas_read;
    uint64_t ctas_taken; /**< Handed out. */
    uint32_t n_sinst;    /**< Instructions behind `pub.sinst`: the table may have more by now. */
    size_t most_inst, most_addr;  /**< That a CTA had. */
    WwCtaBuf *ready, *last_ready; /**< Read, and not taken yet. */
    uint32_t n_ready;
    bool begun;  /**< Its CTAs can be read. */
    bool failed; /**< The last of these is not whole, and the file not read on. */
    uint32_t tracer_version;
    uint32_t header_end; /**< Its last line. */
    uint32_t skip;       /**< Decimal fields in front of the pc. */
    uint64_t number;     /**< The last of them, in the line that was parsed last. */
} WwKernelReader;

/** From this tracer version on, lines say more than what is read of them (version6.c). */
#define WW_TRACER_LATER 6u

/** Makes room in the arena for one block of any size, and more. False: there may be no more. */
bool ww_grow_addr(WwCtaBuf *cta);

/** Room in the arena for one block of any size. */
static inline bool ww_reserve_addr(WwCtaBuf *c)
{
    return G_LIKELY(c->cap_addr - c->n_addr >= WW_MAX_ADDR_WORDS) || ww_grow_addr(c);
}

/** Where the next block goes; ww_reserve_addr() came before. */
static inline WwAddrBlock *ww_next_block(const WwCtaBuf *c)
{
    return (WwAddrBlock *)(void *)&c->addr[c->n_addr];
}

/** Makes the block at the end of the arena part of it; returns what WwTinst.addr holds. */
static inline uint32_t ww_commit_block(WwCtaBuf *c, const WwAddrBlock *b)
{
    uint32_t ref = (uint32_t)c->n_addr + 1;
    c->n_addr += WW_ADDR_WORDS + (b->shared != NULL ? 0 : b->n);
    return ref;
}

/** Makes the values that @p memo has those of later executions, too. False: there are too many of such. */
bool ww_memo_share(WwSinstTable *table, WwAddrMemo *memo);

/** Completes @p b, whose mode and base are known, by what @p m remembers. */
static inline void ww_memo_recall(WwSinstTable *table, WwAddrMemo *m, WwAddrBlock *b)
{
    b->stride = m->block->stride;
    b->n = m->block->n;
    b->shared = NULL;
    if (b->n == 0) {
        return;
    }
    if (G_LIKELY(m->block->shared != NULL || ww_memo_share(table, m))) {
        b->shared = m->block->shared;
    } else {
        memcpy(b->own, m->block->own, b->n * sizeof b->own[0]);
    }
}

/** Appends the instruction of one line to @p cta, which has room for it. */
bool ww_decode_line(WwKernelReader *kernel, WwCtaBuf *cta, const char *line, size_t len,
                    GError **error);

/**
 * Appends the instructions of the lines that come next, at most @p most, as long as each is, byte for byte but for its mask and its base
 * address, one that followed the line before it some time ago. Returns how many; the next line is for ww_decode_line().
 */
uint32_t ww_follow(WwKernelReader *kernel, WwCtaBuf *cta, uint32_t most);

/** The line that was returned last is @p entry: remembers its bytes, the text after the mask begins at @p text, and that it followed the line before. */
void ww_follow_learn(WwKernelReader *kernel, WwLineEntry *entry, const char *text);

/** An EXIT: the instruction after the one that ends the last lane is an error, told by ww_cta_read(). @p line: where it stands. */
static inline void ww_exit_lanes(WwCtaBuf *c, uint32_t mask, uint64_t line)
{
    c->lanes &= ~mask;
    if (c->lanes == 0 && c->exit_line == 0) {
        c->exit_line = line > UINT32_MAX ? UINT32_MAX : (uint32_t)line;
        c->last_exit = c->n_inst - c->origin;
    }
}

/**
 * The warp that was read last, of lanes @p lanes and @p n instructions, goes on after the EXIT of its last lane. If each lane executes an EXIT last, then
 * the EXITs before are those of lanes that stay, and lose these (exits.c). False: it is no program.
 */
bool ww_exits_mend(const WwKernelReader *kernel, WwCtaBuf *cta, uint32_t lanes, uint64_t n);

/** Reads the header of an opened kernel trace. */
bool ww_header_read(WwKernelReader *kernel, GError **error);
/** After it: has its binary version an opcode map? Held. */
bool ww_header_map(WwKernelReader *kernel, GError **error);

/** Reads the next CTA into @p cta, and after the last one what stands behind it: blank lines, a compressed file's check sums. Why that
 * cannot be done it says itself. */
void ww_cta_read(WwKernelReader *kernel, WwCtaBuf *cta);

/** Warp @p warp of @p n instructions, which come from lines or from a pack. */
bool ww_cta_read_warp(WwKernelReader *kernel, WwCtaBuf *cta, uint32_t warp, uint64_t n,
                      GError **error);

/** An opcode that no map knows, where that is an error. */
bool ww_fail_unknown(const WwKernelReader *kernel, const WwSinst *sinst, GError **error);

/** An execution of @p entry, whose opcode no map knows. */
void ww_cta_odd(const WwKernelReader *kernel, WwCtaBuf *cta, WwLineEntry *entry);

/** Frees what is packed in @p cta, and its failure. */
void ww_cta_clear(WwCtaBuf *cta);

/** Address modes that a CTA's lines use: counts of modes 0, 1, 2. */
void ww_cta_count_modes(const WwCtaBuf *cta, uint64_t count[3]);

struct WwTrace {
    WwTraceOptions options;
    WwPack *pack; /**< NULL: it is text. */
    WwList list;
    uint32_t next; /**< Next entry of the list. */
    WwCtaBuf *free_ctas;
    WwCtaBuf *returned;   /**< Free, but for what ww_cta_clear() frees. */
    uint32_t ahead;       /**< Handle of the thread that reads ahead; 0: none does. */
    uint32_t n_ready;     /**< CTAs of all kernels that are read and not taken, */
    uint64_t ready_bytes; /**< and what is in them. */
    WwSpare spare_inst, spare_addr;
    WwKernelReader *open;      /**< Kernels that are not closed. */
    WwKernelReader *looked_at; /**< Opened before its turn, and not yet handed out; or NULL. */
    uint32_t looked_at_entry;  /**< Of the list. */
    uint32_t
        coming; /**< Entry of the kernel that may be opened so next, or those that there are. */
    WwTraceUnknown *unknown; /**< In order of appearance. */
    WwTraceUnknown *sorted;  /**< What ww_trace_unknown() returned last. */
    uint32_t n_unknown, cap_unknown;
    bool told_stays;       /**< That lanes of an EXIT go on. */
    WwNames unknown_names; /**< "NAME.category" */
    WwListings listings;
    WwHeap *heap; /**< Where this and all that changes while it is read lives. */
};

/** The next execution of a warp of @p c, flat or packed, its number @p i from 0 on in order; *@p addr: its addresses, or NULL. @p room: for those
 * of packed ones. */
static inline WwTinst ww_cta_inst(const WwCtaBuf *c, uint32_t warp, uint32_t i, WwAddrRoom *room,
                                  const WwAddrBlock **addr)
{
    WwPacked *packed = c->packed[warp];
    WwTinst t;
    if (packed != NULL) {
        if (i == 0) {
            ww_packed_start(packed);
        }
        ww_packed_next(packed, &t, room);
        *addr = t.addr != 0 ? ww_addr_block(room) : NULL;
    } else {
        t = c->warp[warp][i];
        *addr = t.addr != 0 ? (const WwAddrBlock *)(const void *)&c->addr[t.addr - 1] : NULL;
    }
    return t;
}

/* ---- reading ahead (ahead.c) -------------------------------------------------------------------------------------- */

/* Whoever touches what a reader does, does it between ww_trace_hold() and ww_trace_go(): "held". */

/** The next CTA of @p kernel, which has one. Wait for it, read it: whatever there is to be done. */
WwCtaBuf *ww_ahead_take(WwTrace *trace, WwKernelReader *kernel);
/** @p cta is not needed any more. */
void ww_ahead_return(WwTrace *trace, WwCtaBuf *cta);
/** Forgets the CTAs of @p kernel that nobody has taken. Held. */
void ww_ahead_drop(WwTrace *trace, WwKernelReader *kernel);
/** Ends the thread, if there is one. */
void ww_ahead_end(WwTrace *trace);

/** What ww_trace_version() has opened can be read from here on, or else the kernel that comes may be; what is wrong with it is told in its turn. */
void ww_trace_begin_looked_at(WwTrace *trace);
/** May the kernel that comes be opened before its turn? Under the lock. */
static inline bool ww_trace_may_look(const WwTrace *trace)
{
    return trace->looked_at == NULL && trace->coming < trace->list.n;
}
/** Opens it, so that its CTAs can be read; what is wrong with it is told in its turn. Held. */
void ww_trace_look(WwTrace *trace);

/** One line for the user. */
void ww_trace_warn(const WwTraceOptions *options, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** The path of the entry that ww_trace_source.next_command() would take next, or NULL at the end.
 */
const WwListEntry *ww_trace_peek(const WwTrace *trace);

/** How its opcodes are read. */
static inline const WwOpcodeMap *ww_kernel_map(const WwKernelReader *kernel)
{
    return ww_opcodes_known(kernel->trace->options.opcodes, kernel->pub.binary_version);
}

static inline WwKernelReader *ww_kernel_reader(const WwKernel *kernel)
{
    return kernel->priv;
}
