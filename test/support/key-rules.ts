import type { KeyRules } from '#shared/pix-keys/model.ts';

/** The numbers that docs/payments.md tells. */
export const keyRules: KeyRules = {
  codeValidSeconds: 1800,
  triesPerCode: 5,
  resendsPerValidation: 3,
  codesPerDay: 10,
  codesPerAddressAndDay: 10,
  phonesAbroad: false,
  keysPerAccount: { INDIVIDUAL: 5, ORGANIZATION: 20 },
};
