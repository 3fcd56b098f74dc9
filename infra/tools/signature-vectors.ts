import { writeFile } from 'node:fs/promises';
import { signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';

/** The secret that the receiver knows. All of these were made for this page and sign nothing else. */
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const another = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs=';
const id = '0d3f5a3e-5b0c-4c1e-9a37-6f2f0c1c6b11';
const at = '2026-01-15T12:00:00.750Z';
/** `at` in epoch seconds. */
const receivedAt = 1_768_478_400;
const anHour = 3600;

const body = JSON.stringify({
  id: '3f0e8a52-7c55-4b7e-8f60-0d9f0c1d2e00',
  code: 'order-1042',
  event: 'ORDER-PAYIN.PAID',
  status: 'PAID',
  amount: { currency: 'BRL', value: '29.90' },
});

/** A notification as it reaches a receiver, and what each scheme says of it. */
type SignatureVector = {
  readonly name: string;
  readonly why: string;
  /** Epoch seconds. */
  readonly receivedAt: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text whose UTF-8 bytes came. */
  readonly body: string;
  readonly expected: {
    /** By `X-Signature-SHA256` or `X-Signature-SHA256-Previous`. */
    readonly bodySignature: boolean;
    /** By the `webhook-*` headers, five minutes being the furthest that clocks may be apart. */
    readonly webhookSignature: boolean;
  };
};

/** Headers as the sender makes them for this body. */
function signed(text: string, secrets: { current: string; previous?: string }): Record<string, string> {
  const headers = signatureHeaders({ id, at, body: text, secrets });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const good = signed(body, { current: secret });
const genuine = { bodySignature: true, webhookSignature: true };
const forged = { bodySignature: false, webhookSignature: false };
/** What the body's own signature does not cover. */
const replayed = { bodySignature: true, webhookSignature: false };

const vectors: readonly Omit<SignatureVector, 'receivedAt'>[] = [
  { name: 'good', why: 'As the service sends it.', headers: good, body, expected: genuine },
  ...[
    { name: 'UTF-8', text: '{"description":"Café da manhã ☕ em São João","payer":{"name":"Conceição 𝄞"}}' },
    { name: 'blanks and escapes', text: '{ "amount": {"value": "29.90"},\n  "name": "Concei\\u00e7\\u00e3o" }\n' },
  ].map(({ name, text }) => ({
    name,
    why: 'The bytes are signed as they are: JSON that was parsed and written again has others.',
    headers: signed(text, { current: secret }),
    body: text,
    expected: genuine,
  })),
  {
    name: 'tampered',
    why: 'Somebody made 29.90 into 99.90 on the way.',
    headers: good,
    body: body.replace('29.90', '99.90'),
    expected: forged,
  },
  {
    name: 'wrong secret',
    why: 'Signed by somebody who knows another secret.',
    headers: signed(body, { current: another }),
    body,
    expected: forged,
  },
  { name: 'unsigned', why: 'No header of a signature at all.', headers: {}, body, expected: forged },
  {
    name: 'rotation, the receiver has the new secret',
    why: 'During an overlap both secrets sign.',
    headers: signed(body, { current: secret, previous: another }),
    body,
    expected: genuine,
  },
  {
    name: 'rotation, the receiver still has the old secret',
    why: 'It must accept what matches X-Signature-SHA256-Previous, or the second signature of webhook-signature.',
    headers: signed(body, { current: another, previous: secret }),
    body,
    expected: genuine,
  },
  {
    name: 'cut signatures',
    why: 'The beginning of a signature is none.',
    headers: {
      ...good,
      'x-signature-sha256': String(good['x-signature-sha256']).slice(0, 39),
      'webhook-signature': String(good['webhook-signature']).slice(0, 23),
    },
    body,
    expected: forged,
  },
  {
    name: 'another id',
    why: 'A recorded notification with a fresh webhook-id would pass for a new one.',
    headers: { ...good, 'webhook-id': '99999999-5b0c-4c1e-9a37-6f2f0c1c6b11' },
    body,
    expected: replayed,
  },
  {
    name: 'another time',
    why: 'A recorded notification with a fresh timestamp would pass for a new one.',
    headers: { ...signed(body, { current: secret }), 'webhook-timestamp': String(receivedAt + 1) },
    body,
    expected: replayed,
  },
];

const late: readonly SignatureVector[] = [anHour, -anHour].map((seconds) => ({
  name: seconds > 0 ? 'an hour old' : 'from the future',
  why: 'Every attempt is signed with its own time: what is not of these minutes was recorded, or a clock is wrong.',
  receivedAt: receivedAt + seconds,
  headers: good,
  body,
  expected: replayed,
}));

/** What docs/samples/signature-vectors.json says: made by the code that signs deliveries. */
export function signatureVectors(): { readonly secret: string; readonly vectors: readonly SignatureVector[] } {
  return { secret, vectors: [...vectors.map((vector) => ({ ...vector, receivedAt })), ...late] };
}

/** Writes docs/samples/signature-vectors.json (`npm run signature-vectors`). */
if (import.meta.main) {
  const file = new URL('../../docs/samples/signature-vectors.json', import.meta.url);
  await writeFile(file, `${JSON.stringify(signatureVectors(), null, 2)}\n`);
}
