import type { IncomingHttpHeaders } from 'node:http';
import { instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import { companyIds, parseCompany } from '#shared/platform/company.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { parseWebhookSecret } from '#shared/webhooks/settings-store.ts';
import { signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';

/** A company and its current webhook secrets. */
export type Signer = {
  readonly companyId: string;
  readonly name: string;
  readonly secrets: { readonly current: string; readonly previous?: string };
};

type Verdict = 'VALID' | 'INVALID' | 'ABSENT';

/** The outcome of a signature check by a receiver that knows the secrets of every company. */
export type Judgement = {
  /** Whether `X-Signature-SHA256` and `webhook-signature` are both valid for the company. */
  readonly verified: boolean;
  /** The company whose secret fits one of the signatures. */
  readonly company: Pick<Signer, 'companyId' | 'name'> | null;
  readonly signatures: Readonly<Record<Scheme, Verdict>>;
};

type Scheme = 'X-Signature-SHA256' | 'X-Signature-SHA256-Previous' | 'webhook-signature';
/** Standard Webhooks 1.0.0: how far `webhook-timestamp` may be from the receiver's clock. */
const toleranceMs = 5 * 60_000;

/**
 * Checks the signatures of a request: computes them with the secrets of each company and returns the outcome for the
 * first company that fits.
 *
 * @param request.at epoch milliseconds of its arrival
 */
export function judge(
  request: { readonly headers: IncomingHttpHeaders; readonly raw: Buffer; readonly at: number },
  signers: readonly Signer[],
): Judgement {
  const unknown = judgementFor(undefined, request);
  return signers.map((signer) => judgementFor(signer, request)).find(({ company }) => company !== null) ?? unknown;
}

function judgementFor(signer: Signer | undefined, { headers, raw, at }: Parameters<typeof judge>[0]): Judgement {
  const body = raw.toString('utf8');
  const stampMs = Number(headers['webhook-timestamp']) * 1000;
  const timely = Math.abs(stampMs - at) <= toleranceMs;
  // Bytes that are not UTF-8 match no signature: as text they would become other bytes.
  const expected: Readonly<Record<string, string>> =
    signer === undefined || !raw.equals(Buffer.from(body))
      ? {}
      : signatureHeaders({
          id: String(headers['webhook-id'] ?? ''),
          at: instantFromEpochMs(timely ? stampMs : at),
          body,
          secrets: signer.secrets,
        });
  const verdict = (scheme: Scheme): Verdict => {
    const given = headers[scheme.toLowerCase()];
    if (typeof given !== 'string') return 'ABSENT';
    const right = expected[scheme]?.split(' ') ?? [];
    const fits = given.split(' ').some((signature) => right.includes(signature));
    return fits && (scheme !== 'webhook-signature' || timely) ? 'VALID' : 'INVALID';
  };
  const signatures = {
    'X-Signature-SHA256': verdict('X-Signature-SHA256'),
    'X-Signature-SHA256-Previous': verdict('X-Signature-SHA256-Previous'),
    'webhook-signature': verdict('webhook-signature'),
  };
  const verified = signatures['X-Signature-SHA256'] === 'VALID' && signatures['webhook-signature'] === 'VALID';
  if (signer === undefined || !Object.values(signatures).includes('VALID'))
    return { verified, company: null, signatures };
  return { verified, company: { companyId: signer.companyId, name: signer.name }, signatures };
}

/**
 * Reads every company with its current secrets, so that a rotation is known immediately. In a deployed system a
 * receiver cannot read them; in a local environment one process has the whole table.
 */
export async function readSigners(store: Store): Promise<readonly Signer[]> {
  const signers: Signer[] = [];
  for await (const companyId of companyIds(store)) {
    const [company, secret] = await store.read([keys.company(companyId), keys.webhookSecret(companyId)]);
    if (company === undefined || secret === undefined) continue;
    const { current, previous } = parseWebhookSecret(secret);
    const secrets = { current, ...(previous !== undefined && { previous }) };
    signers.push({ companyId, name: parseCompany(company).name, secrets });
  }
  return signers;
}
