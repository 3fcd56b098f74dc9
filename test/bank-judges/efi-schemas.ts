import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Exchange } from './relay.ts';
import type { Verdict } from './verdict.ts';
import { verdictOf } from './verdict.ts';

/** What Efí's SDK says of a call: names of its Zod schemas, without `Schema`. */
type Named = readonly [method: string, path: RegExp, answer: string | undefined, request?: string];

const named: readonly Named[] = [
  ['PUT', /^\/v2\/cob\/\w+$/u, 'PixCreateChargeResponse', 'PixCreateChargeBody'],
  ['PATCH', /^\/v2\/cob\/\w+$/u, 'PixUpdateChargeResponse', 'PixUpdateChargeBody'],
  ['GET', /^\/v2\/cob\/\w+$/u, 'PixDetailChargeResponse'],
  ['GET', /^\/v2\/cob$/u, 'PixListChargesResponse', 'PixListChargesParams'],
  ['GET', /^\/v2\/pix$/u, 'PixListReceivedResponse', 'PixListReceivedParams'],
  ['GET', /^\/v2\/pix\/\w+$/u, 'PixDetailReceivedResponse'],
  ['PUT', /^\/v2\/pix\/\w+\/devolucao\/\w+$/u, 'PixDevolutionResponse', 'PixDevolutionBody'],
  ['GET', /^\/v2\/pix\/\w+\/devolucao\/\w+$/u, 'PixDetailDevolutionResponse'],
  ['GET', /^\/v2\/gn\/infracoes$/u, 'MedListResponse', 'MedListParams'],
  // It is confirmed by a sentence.
  ['POST', /^\/v2\/gn\/infracoes\/[\w-]+\/defesa$/u, undefined, 'MedSubmitDefenseBody'],
  ['POST', /^\/v2\/locrec$/u, 'PixCreateLocationRecurrenceAutomaticResponse'],
  ['GET', /^\/v2\/locrec\/\d+$/u, 'PixDetailLocationRecurrenceAutomaticResponse'],
  ['POST', /^\/v2\/rec$/u, 'PixCreateRecurrenceAutomaticResponse', 'PixCreateRecurrenceAutomaticBody'],
  ['GET', /^\/v2\/rec$/u, 'PixListRecurrenceAutomaticResponse', 'PixListRecurrenceAutomaticParams'],
  ['GET', /^\/v2\/rec\/\w+$/u, 'PixDetailRecurrenceAutomaticResponse'],
  ['PATCH', /^\/v2\/rec\/\w+$/u, 'PixUpdateRecurrenceAutomaticResponse', 'PixUpdateRecurrenceAutomaticBody'],
  ['PUT', /^\/v2\/cobr\/\w+$/u, 'PixCreateAutomaticChargeTxidResponse', 'PixCreateAutomaticChargeTxidBody'],
  ['GET', /^\/v2\/cobr$/u, 'PixListAutomaticChargeResponse', 'PixListAutomaticChargeParams'],
  ['GET', /^\/v2\/cobr\/\w+$/u, 'PixDetailAutomaticChargeResponse'],
  ['PATCH', /^\/v2\/cobr\/\w+$/u, 'PixUpdateAutomaticChargeResponse', 'PixUpdateAutomaticChargeBody'],
  ['POST', /^\/v2\/cobr\/\w+\/retentativa\/[\d-]+$/u, 'PixRetryRequestAutomaticResponse'],
  ['PUT', /^\/v3\/gn\/pix\/\w+$/u, 'PixSendResponse', 'PixSendBody'],
  ['PUT', /^\/v2\/gn\/pix\/\w+\/qrcode$/u, 'PixQrCodePayResponse', 'PixQrCodeBody'],
  ['GET', /^\/v2\/gn\/pix\/enviados\/id-envio\/\w+$/u, 'PixSendDetailIdResponse'],
  ['GET', /^\/v2\/gn\/pix\/enviados$/u, 'PixSendListResponse', 'PixSendListParams'],
  ['POST', /^\/v2\/gn\/qrcodes\/detalhar$/u, 'PixQrCodeDetailResponse', 'PixQrCodeDetailBody'],
  ['GET', /^\/v2\/gn\/saldo$/u, 'GetAccountBalanceResponse'],
  ['PUT', /^\/v2\/webhook\/[\w-]+$/u, 'PixConfigWebhookResponse', 'PixConfigWebhookBody'],
  ['GET', /^\/v2\/webhook\/[\w-]+$/u, 'PixDetailWebhookResponse'],
  ['PUT', /^\/v2\/webhookrec$/u, undefined, 'PixConfigWebhookRecurrenceAutomaticBody'],
  ['GET', /^\/v2\/webhookrec$/u, 'PixListWebhookRecurrenceAutomaticResponse'],
  ['PUT', /^\/v2\/webhookcobr$/u, undefined, 'PixConfigWebhookAutomaticChargeBody'],
  ['GET', /^\/v2\/webhookcobr$/u, 'PixListWebhookAutomaticChargeResponse'],
];

/** What the schemas are stricter about than API Pix 2.9 or Efí's pages. One that meets nothing is a failure. */
const excepted: readonly { readonly issue: RegExp; readonly why: string }[] = [
  { issue: /^PixDevolutionBody : Unrecognized key: "descricao"$/u, why: 'API Pix has it: a text for the payer' },
  { issue: /devolucoes\.\*: Unrecognized key: "(?:descricao|natureza)"$/u, why: 'API Pix repeats them in answers' },
  { issue: /devolucoes\.\*: Unrecognized key: "motivo"$/u, why: 'API Pix; the SDK has it where one is read alone' },
  { issue: /tentativas\.\*: Unrecognized key: "rejeicao"$/u, why: 'API Pix; no other member has the code' },
  { issue: /encerramento\.cancelamento: .*undefined$/u, why: 'API Pix: what was rejected has `rejeicao` instead' },
  {
    issue: /^MedListResponse infracoes\.\*\.(?:protocolo|valor|(?:origem|destino)\.conta): .*expected number/u,
    why: "Efí's pages show texts; protocolo and valor are read as either",
  },
  { issue: /^PixQrCodeDetailResponse valor: Unrecognized key: "final"$/u, why: "Efí's pages show it; both are read" },
];

type Schema = {
  readonly safeParse: (value: unknown) => { readonly success: boolean; readonly error?: { issues: Issue[] } };
};
type Issue = { readonly path: readonly PropertyKey[]; readonly message: string; readonly errors?: Issue[][] };

/**
 * Holds requests and answers to the Zod schemas of Efí's own SDK: every request, and each answer of 2xx.
 *
 * @param packages Folder of the judges' packages.
 */
export async function judgeByEfiSchemas(packages: string, exchanges: readonly Exchange[]): Promise<Verdict> {
  const file = join(packages, 'node_modules/sdk-node-apis-efi/dist/esm/types/pix.js');
  const schemas = (await import(pathToFileURL(file).href)) as Readonly<Record<string, Schema | undefined>>;
  let looked = 0;
  const met = new Set<RegExp>();
  const played = new Set<Named>();
  const isExcepted = (text: string): boolean => {
    const found = excepted.find(({ issue }) => issue.test(text));
    if (found !== undefined) met.add(found.issue);
    return found !== undefined;
  };
  const failures = exchanges.flatMap((exchange) => {
    const { method, path, asked, status, answered } = exchange;
    const { pathname, searchParams } = new URL(path, 'https://bank');
    const found = named.find(([verb, pattern]) => verb === method && pattern.test(pathname));
    if (found === undefined)
      return pathname === '/oauth/token' ? [] : [`The table has no row for ${method} ${pathname}.`];
    played.add(found);
    const [, pattern, response, request] = found;
    const breaks = (name: string, value: unknown): string[] => {
      looked += 1;
      const schema = schemas[`${name}Schema`];
      if (schema === undefined) return [`The SDK has no schema ${name}.`];
      const violations = (schema.safeParse(value).error?.issues ?? []).map((issue) => `${name} ${text(issue)}`);
      return violations.filter((one) => !isExcepted(one)).map((one) => `${method} ${pattern.source}: ${one}`);
    };
    const sent = method === 'GET' ? paramsOf(searchParams) : asked === '' ? undefined : (JSON.parse(asked) as unknown);
    return [
      ...(request === undefined ? [] : breaks(request, sent)),
      ...(status < 300 && response !== undefined ? breaks(response, JSON.parse(answered)) : []),
    ];
  });
  const stale = excepted
    .filter(({ issue }) => !met.has(issue))
    .map(({ issue }) => `The exception ${issue.source} matches nothing.`);
  const unplayed = named
    .filter((one) => !played.has(one))
    .map(([verb, { source }]) => `The run has no request ${verb} ${source}.`);
  return verdictOf(looked, [...failures, ...stale, ...unplayed]);
}

/** As the SDK takes them: numbers are numbers. */
function paramsOf(params: URLSearchParams): Record<string, string | number> {
  return Object.fromEntries(
    [...params].map(([name, value]) => [name, name.startsWith('paginacao.') ? Number(value) : value]),
  );
}

function text({ path, message, errors = [] }: Issue): string {
  const inner = errors.map((issues) => issues.map(text).join(', ')).join(' | ');
  return `${path.map((part) => (typeof part === 'number' ? '*' : String(part))).join('.')}: ${message} ${inner}`.trim();
}
