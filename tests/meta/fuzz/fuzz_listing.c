/* SPDX-License-Identifier: Apache-2.0 */
/* A listing of control words, as the module control_bits reads it. */
#include "common/fuzz.h"

#include <control_bits.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Listing l = {0};
    g_autoptr(GError) error = NULL;
    bool good = listing_read(fuzz_file(0, data, size), &l, &error);
    fuzz_check_error(good, error, false);
    for (uint32_t i = 0; good && i < l.n; i++) {
        const ControlWord *w = &l.word[i];
        fuzz_check(listing_find(&l, w->pc) == w, "a pc that is not found", "");
        fuzz_check(w->stall <= LONGEST_STALL && w->wait < 1u << BARRIERS, "out of range", "");
        fuzz_check((w->read < BARRIERS || w->read == NO_BARRIER) &&
                       (w->write < BARRIERS || w->write == NO_BARRIER),
                   "no barrier", "");
    }
    listing_clear(&l);
    return 0;
}
