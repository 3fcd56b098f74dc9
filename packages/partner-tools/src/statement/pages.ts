import { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import { ListStatementRoots } from '#functions/accounts/list-roots/contract.ts';
import type { Partner } from '../api/client.ts';
import { requestOf } from '../api/client.ts';
import type { HttpResponse } from '../api/http.ts';
import { ToolFailure } from '../failures.ts';
import { each } from '../sdk/paging.ts';

/** `proof`: a line of JSON for each signed root, then for each entry, with its place in the chain of the account. */
export const statementFormats = ['csv', 'ofx', 'proof'] as const;
type Format = (typeof statementFormats)[number];
/** `from` and `to`: instants; `to` is exclusive. */
type Period = { readonly from?: string; readonly to?: string };

/**
 * Yields the text of a statement's file, oldest entry first, while its pages arrive.
 * @throws ToolFailure when a page is not a file
 */
export async function* statementText(
  partner: Partner,
  accountId: string,
  format: Format,
  { from, to }: Period,
): AsyncGenerator<string, void> {
  const period = { ...(from && { createdFrom: from }), ...(to && { createdTo: to }) };
  const asked = format === 'proof' ? { proof: 'true' } : { format };
  const query = { ...period, sort: 'asc', limit: '100', ...asked };
  if (format === 'proof') return yield* proofLines(partner, accountId, query);
  const first = requestOf(ListEntries, { params: { accountId }, query });
  const [path = ''] = first.path.split('?', 1);
  let tail = '';
  for (let next: string | undefined = first.path; next !== undefined;) {
    const response = await partner.raw({ ...first, path: next });
    const page = partsOf(format, fileOf(response));
    yield next === first.path ? page.head + page.entries : page.entries;
    tail = page.tail;
    const link = /^<(\?[^>]+)>; rel="next"$/u.exec(String(response.headers['link'] ?? ''))?.[1];
    next = link === undefined ? undefined : `${path}${link}`;
  }
  yield tail;
}

async function* proofLines(
  partner: Partner,
  accountId: string,
  query: Readonly<Record<string, string>>,
): AsyncGenerator<string, void> {
  const roots = async (next: object) =>
    (await partner.call(ListStatementRoots, { query: { accountId, sort: 'asc', limit: '100', ...next } })).body;
  for await (const root of each(roots)) yield `${JSON.stringify(root)}\n`;
  const read = async (next: object) =>
    (await partner.call(ListEntries, { params: { accountId }, query: { ...query, ...next } })).body;
  for await (const entry of each(read)) yield `${JSON.stringify(entry)}\n`;
}

/** A page of OFX is a whole file: its head and tail belong once into the file of all pages. */
function partsOf(format: Exclude<Format, 'proof'>, text: string) {
  if (format === 'csv') return { head: '', entries: text, tail: '' };
  const end = text.indexOf('</BANKTRANLIST>');
  const firstEntry = text.indexOf('<STMTTRN>');
  const start = firstEntry === -1 ? end : firstEntry;
  return { head: text.slice(0, start), entries: text.slice(start, end), tail: text.slice(end) };
}

function fileOf({ status, headers, text }: HttpResponse): string {
  const isFile = status === 200 && headers['content-disposition'] !== undefined;
  if (isFile) return text;
  throw new ToolFailure(
    `The service returned no file: ${status} ${text.slice(0, 500)}`,
    'Check the id of the account and the times.',
  );
}
