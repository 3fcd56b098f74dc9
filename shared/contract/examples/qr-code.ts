import { buildCompositeCode, buildDynamicCode } from '#shared/core/br-code/build.ts';

/** A PNG of one pixel: real codes have some kilobytes. */
export const exampleImage =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';

const merchant = { name: 'Clinica Boa Vista Ltda', city: 'SAO PAULO' };
const url = 'pix.example.com/qr/v2/cob/6f1d2c3b4a594e8f9a0b1c2d3e4f5a00';

export const chargeCode = buildDynamicCode({ merchant, url });
export const compositeCode = buildCompositeCode({
  merchant,
  url,
  recurrenceUrl: 'pix.example.com/qr/v2/rec/9c8485d0fc9363201700da034a0b3555',
});
