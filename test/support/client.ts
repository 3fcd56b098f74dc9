import type { Addresses, Partner } from '#infra/partner/api/client.ts';
import { connectPartner } from '#infra/partner/api/client.ts';
import type { Company } from '#infra/partner/sandbox.ts';
import { send } from './client-http.ts';

/** A partner of the suite: test/silence reads everything that it said and was told. */
export function partnerOf(addresses: Addresses, company: Company): Partner {
  return connectPartner(addresses, company, send);
}
