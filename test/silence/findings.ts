import type { Exchange } from '../support/exchanges.ts';

/** Members of a request or an answer that no log may hold, whatever resource they belong to. */
const privateMembers = new Set([
  ...['name', 'fullName', 'holderName', 'email', 'phone', 'key', 'document', 'code'],
  ...['pixKey', 'qrcodeData', 'accountNumber'],
  ...['secret', 'access_token', 'client_secret'],
]);
/** Shorter texts are in logs by chance. */
const shortestText = 6;
/** A whole text of an answer: inside a longer one stands what partners chose. */
const id = /"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"/gu;
const secret = /"(whsec_[^"]+)"/gu;

/** What a person could be known by, or act as: names, documents, keys, phones, e-mails, codes, secrets and tokens. */
export function privateTexts(exchanges: readonly Exchange[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { body, response, status, token } of exchanges) {
    if (status < 200 || status > 299) continue;
    if (token !== '') found.add(token);
    for (const [name, value] of new URLSearchParams(body)) if (privateMembers.has(name)) found.add(value);
    for (const text of [body, response]) collect(parsed(text), found);
  }
  return new Set([...found].filter(isTelling));
}

/** A name has a blank in it, a code six digits: other short texts, as the type of a key, identify no person. */
function isTelling(text: string): boolean {
  return text.length >= shortestText && (/[\s@+]/u.test(text) || /\d{6}/u.test(text) || text.length > 20);
}

function collect(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) collect(one, found);
  if (typeof value !== 'object' || value === null) return;
  const { type, number } = value as Record<string, unknown>;
  if ((type === 'CPF' || type === 'CNPJ') && typeof number === 'string') found.add(number);
  for (const [name, one] of Object.entries(value)) {
    if (typeof one === 'string' && privateMembers.has(name)) found.add(one);
    else collect(one, found);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The lines of a log that have one of the texts, each with that text. A number is no part of a longer one. */
export function linesWith(texts: ReadonlySet<string>, log: string): readonly string[] {
  const found: string[] = [];
  for (const text of texts) {
    const place = /^[\d-]+$/u.test(text) ? log.search(new RegExp(`(?<![\\w.])${text}(?!\\w)`, 'u')) : log.indexOf(text);
    if (place < 0) continue;
    const start = log.lastIndexOf('\n', place) + 1;
    const end = log.indexOf('\n', place);
    found.push(`${text.slice(0, 60)} in: ${log.slice(start, end < 0 ? undefined : end).slice(0, 400)}`);
  }
  return found;
}

/** Responses with an id that another caller received first and that this caller did not send. */
export function findLeakedIds(exchanges: readonly Exchange[]): readonly string[] {
  return findLeaks(id, exchanges);
}

/** Responses with a secret that another caller received first. */
export function findLeakedSecrets(exchanges: readonly Exchange[]): readonly string[] {
  return findLeaks(secret, exchanges);
}

/** A text belongs to the caller whose response has it first. */
function findLeaks(pattern: RegExp, exchanges: readonly Exchange[]): readonly string[] {
  const owner = new Map<string, string>();
  const found: string[] = [];
  for (const { caller, sent, response } of exchanges)
    for (const [, text = ''] of response.matchAll(pattern)) {
      if (sent.includes(text)) continue;
      const first = owner.get(text);
      if (first === undefined) owner.set(text, caller);
      else if (first !== caller) found.push(`${text} of ${first} was told to ${caller}: ${sent.slice(0, 200)}`);
    }
  return found;
}
