/* SPDX-License-Identifier: Apache-2.0 */
/** @file What writes packs: thread blocks as segments (pack_encode.c) for the file around them (pack_write.c). */
#pragma once

#include "pack-priv.h"

typedef struct WwPackEncoder {
    WwPackModel *model;
    struct ZSTD_CCtx_s *zst;
    GArray *segments; /**< WwPackSegment: those that are written. */
    WwPackSegment segment;
    GByteArray *column[WW_PACK_COLUMNS];
    uint64_t run, ctas;
    const uint32_t *grid;
    bool (*write)(void *user, const void *data, size_t n, GError **error);
    void *user;
} WwPackEncoder;

void ww_pack_encoder_init(WwPackEncoder *encoder, WwHeap *heap);
void ww_pack_encoder_clear(WwPackEncoder *encoder);
/** Appends a thread block; writes a segment when one is full. */
bool ww_pack_encode(WwPackEncoder *encoder, const WwCtaBuf *cta, GError **error);
/** Writes the last one. */
bool ww_pack_encode_end(WwPackEncoder *encoder, GError **error);

/** @p model has room for @p n static instructions now. */
void ww_pack_model_grow(WwPackModel *model, uint32_t n);
