import * as z from 'zod';

/** An HTTP answer, ready to be written. */
export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
};

const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** "Output format of a Lambda function for proxy integration". */
const shape = z.object({
  statusCode: z
    .union([
      z.number().int(),
      z
        .string()
        .regex(/^\d{3}$/)
        .transform(Number),
    ])
    .pipe(z.number().min(200).max(599)),
  headers: z.record(z.string(), headerValue).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(headerValue)).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/**
 * Headers of the connection belong to the gateway; it renames those of a function ("Important notes" of the API Gateway
 * guide).
 */
const remapped = [
  'connection',
  'content-length',
  'date',
  'host',
  'keep-alive',
  'server',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
];

/** @returns undefined when a function's answer is no proxy answer, which the gateway turns into 502. */
export function readProxyResponse(payload: unknown): HttpAnswer | undefined {
  const parsed = shape.safeParse(payload);
  if (!parsed.success) return undefined;
  const { statusCode: status, headers, multiValueHeaders, body, isBase64Encoded } = parsed.data;
  const merged = new Map<string, [string, string[]]>();
  const add = (name: string, values: string[]): void => {
    const sent = remapped.includes(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name;
    merged.set(sent.toLowerCase(), [sent, values]);
  };
  for (const [name, value] of Object.entries(headers ?? {})) add(name, [value]);
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) add(name, values);
  if (!merged.has('content-type')) add('Content-Type', ['application/json']);
  if ([...merged.values()].some(([name, values]) => !isHeader(name, values))) return undefined;
  return {
    status,
    headers: Object.fromEntries(
      [...merged.values()].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
    ),
    body: Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

/** RFC 9110 5.1 and 5.5: a token, and no control characters. */
function isHeader(name: string, values: readonly string[]): boolean {
  return (
    /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) &&
    values.every((value) => !/[^\t\u0020-\u007E\u0080-\u00FF]/.test(value))
  );
}
