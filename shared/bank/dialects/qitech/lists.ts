import type { Connected } from '#shared/bank/connected.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { Page } from './shapes.ts';

/** The lists of an account, with the parameter that each needs. */
export const accountLists = {
  receivedPix: 'pix_transfers?pix_transfer_direction=incoming',
  sentPix: 'pix_transfers?pix_transfer_direction=outgoing',
  sentTed: 'teds?ted_direction=outgoing',
} as const;

type List = { readonly key: string; readonly list: (typeof accountLists)[keyof typeof accountLists] };

/** Reads a page of a list of one account. @throws BankUnavailable */
export async function readPage(
  client: Connected['client'],
  { key, list }: List,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const path = `/account/${key}/${list}&${new URLSearchParams(query).toString()}`;
  const page = Page.safeParse(await client.query({ method: 'GET', path, signal })).data;
  if (page === undefined) throw new BankUnavailable('The bank response is invalid.');
  return page.data;
}
