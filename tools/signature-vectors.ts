import { writeFile } from 'node:fs/promises';
import { signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';

/** The receiver's secret. This secret and `another` sign only these vectors. */
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

/** Headers that the sender creates for this body. */
function signed(text: string, secrets: { current: string; previous?: string }): Record<string, string> {
  const headers = signatureHeaders({ id, at, body: text, secrets });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const good = signed(body, { current: secret });
/**
 * Results of the two schemes: by `X-Signature-SHA256` or its `-Previous`, and by the `webhook-*` headers with clocks at
 * most 5 minutes apart.
 */
const genuine = { bodySignature: true, webhookSignature: true };
const forged = { bodySignature: false, webhookSignature: false };
/** The result of a replay with another id or time: `X-Signature-SHA256` covers only the body. */
const replayed = { bodySignature: true, webhookSignature: false };

/** A notification as it arrives, and the result of each scheme. */
function vector(
  [name, why]: readonly [name: string, why: string],
  headers: Readonly<Record<string, string>>,
  expected: typeof genuine,
  text = body,
) {
  return { name, why, headers, body: text, expected, receivedAt };
}

const bytes = 'The signature covers the received bytes. JSON that was parsed and serialized again has other bytes.';
const utf8 = '{"description":"Café da manhã ☕ em São João","payer":{"name":"Conceição 𝄞"}}';
const escaped = '{ "amount": {"value": "29.90"},\n  "name": "Concei\\u00e7\\u00e3o" }\n';
const cut = {
  'x-signature-sha256': String(good['x-signature-sha256']).slice(0, 39),
  'webhook-signature': String(good['webhook-signature']).slice(0, 23),
};

const vectors = [
  vector(['good', 'As the service sends it.'], good, genuine),
  vector(['UTF-8', bytes], signed(utf8, { current: secret }), genuine, utf8),
  vector(['blanks and escapes', bytes], signed(escaped, { current: secret }), genuine, escaped),
  vector(
    ['tampered', 'The amount was changed from 29.90 to 99.90 on the way.'],
    good,
    forged,
    body.replace('29.90', '99.90'),
  ),
  vector(['wrong secret', 'Signed with another secret.'], signed(body, { current: another }), forged),
  vector(['unsigned', 'The request has no signature header.'], {}, forged),
  vector(
    ['rotation, the receiver has the new secret', 'During an overlap both secrets sign.'],
    signed(body, { current: secret, previous: another }),
    genuine,
  ),
  vector(
    [
      'rotation, the receiver still has the old secret',
      'The receiver must also accept X-Signature-SHA256-Previous, or the second signature of webhook-signature.',
    ],
    signed(body, { current: another, previous: secret }),
    genuine,
  ),
  vector(['cut signatures', 'A part of a signature is not valid.'], { ...good, ...cut }, forged),
  vector(
    [
      'another id',
      'Without this check a recorded notification with another webhook-id would be accepted as a new one.',
    ],
    { ...good, 'webhook-id': '99999999-5b0c-4c1e-9a37-6f2f0c1c6b11' },
    replayed,
  ),
  vector(
    [
      'another time',
      'Without this check a recorded notification with a later timestamp would be accepted as a new one.',
    ],
    { ...good, 'webhook-timestamp': String(receivedAt + 1) },
    replayed,
  ),
];

const late = [anHour, -anHour].map((seconds) => ({
  name: seconds > 0 ? 'an hour old' : 'from the future',
  why: 'Every attempt is signed with its own time. A time more than 5 minutes away means a replay or a wrong clock.',
  receivedAt: receivedAt + seconds,
  headers: good,
  body,
  expected: replayed,
}));

/** The content of docs/samples/signature-vectors.json, from the code that signs deliveries; times in epoch seconds. */
export function signatureVectors() {
  return { secret, vectors: [...vectors, ...late] };
}

/** Writes docs/samples/signature-vectors.json (`npm run tool -- tools/signature-vectors.ts`). */
if (import.meta.main) {
  const file = 'docs/samples/signature-vectors.json';
  await writeFile(file, `${JSON.stringify(signatureVectors(), null, 2)}\n`);
}
