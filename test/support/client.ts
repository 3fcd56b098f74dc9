import type { Addresses, Partner, Company } from '@banking-order/partner-tools';
import { connectPartner } from '@banking-order/partner-tools';
import { send } from './client-http.ts';

/** A partner of the suite: test/silence reads all its requests and responses. */
export function partnerOf(addresses: Addresses, company: Company): Partner {
  return connectPartner(addresses, company, send, 'CLOSED');
}
