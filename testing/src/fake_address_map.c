/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `address_map`: plain interleaving. */
#include <testing/fake_address_map.h>

enum { CHUNK_BITS = 8, BANKS = 16, COLUMN_BITS = 4 };

static void fake_decode(void *self, uint64_t addr, WwAddress *out)
{
    WwFakeAddressMap *f = self;
    uint32_t each = f->slices / f->channels;
    uint64_t chunk = addr >> CHUNK_BITS, rest = chunk / f->slices;
    f->decodes++;
    out->channel = (uint32_t)(chunk % f->channels);
    out->slice = out->channel * each + (uint32_t)(chunk / f->channels % each);
    out->partition = rest << CHUNK_BITS | (addr & ((1u << CHUNK_BITS) - 1));
    out->bank = (uint32_t)(rest % BANKS);
    out->column = (uint32_t)(addr & ((1u << CHUNK_BITS) - 1));
    out->row = (uint32_t)(rest / BANKS >> COLUMN_BITS);
}

static uint32_t fake_channels(void *self)
{
    return ((WwFakeAddressMap *)self)->channels;
}

static uint32_t fake_slices(void *self)
{
    return ((WwFakeAddressMap *)self)->slices;
}

static const WwAddressMapIf fake_table = {
    .decode = fake_decode, .channels = fake_channels, .slices = fake_slices};

static void fake_reset(void *self)
{
    WwFakeAddressMap *f = self;
    f->channels = 4;
    f->slices = 8;
    f->decodes = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeAddressMap, address_map, &ww_contract_address_map, &fake_table,
                     "plain interleaving"),
    {0},
};

const WwType ww_fake_address_map_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.address_map",
    .doc = "address map that interleaves plainly",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeAddressMap),
    .ports = fake_ports,
    .reset = fake_reset,
};
