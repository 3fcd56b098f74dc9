import { GetDomainNameCommand, UpdateDomainNameCommand } from '@aws-sdk/client-api-gateway';
import { GetObjectCommand, NoSuchKey, PutObjectCommand } from '@aws-sdk/client-s3';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { plusDays } from '#shared/core/brasilia-time.ts';
import type { CommandOutput } from './command.ts';
import type { Buckets, OperatorDependencies } from './target.ts';
import type { PlanGateway } from './usage-plan.ts';
import { UsageError } from './values.ts';

type Wanted = {
  /** Output `CallbackAuthorities`. */
  readonly truststore: { readonly bucket: string; readonly key: string };
  /** Files and https addresses, separated by commas. */
  readonly chains: string;
  readonly domain?: string | undefined;
  readonly yes?: string | undefined;
};

/** A certificate of an authority. */
type Authority = X509Certificate;
type Bundle = Readonly<Record<'eTag' | 'version', string | undefined>> & { readonly text: string };

/** Limits of API Gateway. */
const maxBytes = 1_000_000;
const maxCertificates = 1000;
const fetchMs = 10_000;

/**
 * Replaces all certificates in the truststore of the callback domain with these chains. Without `yes` it only shows the
 * changes. It does not overwrite an object that changed meanwhile; the bucket keeps each version.
 * @throws UsageError for chains that cannot be used: nothing was written then; Error of S3 or API Gateway
 */
export async function replaceTruststore(
  { buckets, plans, now }: Pick<OperatorDependencies, 'buckets' | 'plans' | 'now'>,
  { truststore, chains, domain, yes }: Wanted,
): Promise<CommandOutput> {
  const s3 = buckets();
  const sources = chains.split(',').map((source) => source.trim());
  const contents = await Promise.all(sources.map((source) => readChain(source)));
  const wanted = new Map(
    contents
      .flatMap((text, at) => authoritiesOf(text, `--chains: ${sources[at] ?? ''}`, now()))
      .map((certificate) => [nameOf(certificate), certificate]),
  );
  const next = [...wanted.values()].map((certificate) => certificate.toString()).join('');
  if (wanted.size > maxCertificates || Buffer.byteLength(next) > maxBytes)
    throw new UsageError('--chains exceed the limits of API Gateway: 1000 certificates, 1 MB.');
  const current = await readBundle(s3, truststore);
  const known = new Map(currentOf(current).map((certificate) => [nameOf(certificate), certificate]));
  const certificates = [
    ...[...wanted].map(([name, certificate]) => describe(known.has(name) ? 'KEPT' : 'ADDED', certificate)),
    ...[...known].filter(([name]) => !wanted.has(name)).map(([, certificate]) => describe('REMOVED', certificate)),
  ];
  const isSame = certificates.every(({ change }) => change === 'KEPT');
  if (isSame && (domain === undefined || current?.version === undefined))
    return { certificates, next: 'Nothing to do: the truststore already has these certificates.' };
  if (yes === undefined) return { certificates, next: 'Nothing was written: repeat the command with --yes.' };
  // A domain that does not use the truststore yet gets the current version.
  const version = isSame ? current?.version : undefined;
  const written = version ?? (await writeBundle(s3, truststore, next, current));
  if (domain !== undefined) return { certificates, version: written, ...(await moveDomain(plans(), domain, written)) };
  const patch = `op=replace,path=${versionPath},value=${written}`;
  const command = `aws apigateway update-domain-name --domain-name HOST --patch-operations ${patch}`;
  return { certificates, version: written, next: `The domain uses the previous version until you run: ${command}` };
}

/** Returns API Gateway's warnings about a truststore: clients of the authorities named may be refused. */
export async function truststoreWarnings(gateway: PlanGateway, domainName: string): Promise<readonly string[]> {
  const { mutualTlsAuthentication } = await gateway.send(new GetDomainNameCommand({ domainName }));
  return mutualTlsAuthentication?.truststoreWarnings ?? [];
}

const versionPath = '/mutualTlsAuthentication/truststoreVersion';

/**
 * Switches a domain to a version of its truststore. The version applies to new connections within some minutes. API
 * Gateway refuses a version that it cannot read.
 */
async function moveDomain(gateway: PlanGateway, domainName: string, value: string): Promise<CommandOutput> {
  const patchOperations = [{ op: 'replace' as const, path: versionPath, value }];
  const { domainNameStatus } = await gateway.send(new UpdateDomainNameCommand({ domainName, patchOperations }));
  const warnings = await truststoreWarnings(gateway, domainName);
  return { domain: domainName, status: domainNameStatus ?? null, warnings: warnings.map((warning) => ({ warning })) };
}

async function readChain(source: string): Promise<string> {
  if (!source.startsWith('https:')) {
    try {
      return readFileSync(source, 'utf8');
    } catch {
      throw new UsageError(`--chains: ${source} is neither a readable file nor an https address.`);
    }
  }
  const signal = AbortSignal.timeout(fetchMs);
  // A redirect could deliver other certificate authorities.
  const response = await fetch(source, { redirect: 'error', signal }).catch(() => undefined);
  if (response?.ok !== true)
    throw new UsageError(`--chains: ${source} returned no chain (${response?.status ?? 'no response'}).`);
  return response.text();
}

/**
 * Returns the certificates of a truststore.
 * @param source Begins the error message.
 * @throws UsageError naming the first certificate that must not be in a truststore
 */
export function authoritiesOf(text: string, source: string, at: string): readonly Authority[] {
  const found = certificatesOf(text);
  const begun = text.split('-----BEGIN ').length - 1;
  if (found.length === 0) throw new UsageError(`${source} has no certificate.`);
  if (found.length !== begun) throw new UsageError(`${source} is truncated, or contains more than certificates.`);
  for (const certificate of found) {
    const issue = issueOf(certificate, at);
    if (issue !== undefined) throw new UsageError(`${source}: ${subjectOf(certificate)} ${issue}.`);
  }
  return found;
}

function issueOf({ ca, validToDate, validFromDate, publicKey }: Authority, at: string): string | undefined {
  if (!ca) return 'is not the certificate of an authority';
  if (validToDate.toISOString() <= at) return `expired on ${validToDate.toISOString()}`;
  // Clocks differ a little.
  if (validFromDate.toISOString() > plusDays(at.slice(0, 10), 1))
    return `is not valid before ${validFromDate.toISOString()}`;
  const bits = publicKey.asymmetricKeyDetails?.modulusLength;
  return bits !== undefined && bits < 2048 ? `has a key of ${bits} bits: 2048 are required` : undefined;
}

/** @throws UsageError for a PEM block without a readable certificate */
function certificatesOf(text: string): readonly Authority[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/gu) ?? [];
  return blocks.map((pem) => {
    try {
      return new X509Certificate(pem);
    } catch {
      throw new UsageError('A PEM block contains no readable certificate.');
    }
  });
}

/** Returns the certificates of a bundle. A broken bundle has none, so all its certificates are replaced. */
function currentOf(bundle: Bundle | undefined): readonly Authority[] {
  try {
    return certificatesOf(bundle?.text ?? '');
  } catch {
    return [];
  }
}

function nameOf({ fingerprint256 }: Authority): string {
  return fingerprint256;
}

function subjectOf({ subject }: Authority): string {
  return subject.split('\n').toReversed().join(',');
}

function describe(change: 'ADDED' | 'KEPT' | 'REMOVED', certificate: Authority) {
  return { change, end: certificate.validToDate.toISOString(), subject: subjectOf(certificate) };
}

async function readBundle(s3: Buckets, { bucket, key }: Wanted['truststore']): Promise<Bundle | undefined> {
  try {
    const { Body, ETag, VersionId } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return { text: (await Body?.transformToString()) ?? '', eTag: ETag, version: VersionId };
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined;
    throw error;
  }
}

/** Writes the truststore, unless it changed since it was read. @returns its new version */
async function writeBundle(
  s3: Buckets,
  { bucket, key }: Wanted['truststore'],
  text: string,
  current: Bundle | undefined,
): Promise<string> {
  const only = current === undefined ? { IfNoneMatch: '*' } : { IfMatch: current.eTag };
  const object = { Bucket: bucket, Key: key, Body: text, ContentType: 'application/x-pem-file' };
  const { VersionId } = await s3.send(new PutObjectCommand({ ...object, ...only }));
  if (VersionId === undefined)
    throw new Error('The bucket has no versioning: it is not the bucket of the environment.');
  return VersionId;
}
