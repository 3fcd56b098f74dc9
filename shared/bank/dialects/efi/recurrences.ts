import { firstOf } from '#shared/core/visible.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { formatAmount } from '#shared/core/money.ts';
import type { CallContext, CommandOutcome, FoundCommand } from '#shared/bank/outcome.ts';
import type { OpenedRecurrence, RecurrenceOrder, UncheckedRecurrences } from '#shared/bank/ports/recurrences.ts';
import { isFinalRecurrence } from '#shared/bank/ports/recurrences.ts';
import type { Facts } from '#shared/bank/about.ts';
import { recFacts } from '#shared/bank/dialects/efi/facts.ts';
import { requireAbout } from '#shared/bank/about.ts';
import type { Connected } from '#shared/bank/connected.ts';
import type { RecurrenceLocation } from '#shared/bank/recurrence-locations.ts';
import { foundOf, outcomeOf, unlessNotConnected } from '#shared/bank/calls/outcomes.ts';
import { efiAccount } from './connecting.ts';
import { bankId, documentField } from './fields.ts';
import type { RecBody as Rec } from './shapes.ts';
import { LocRecBody, RecBody, RecsBody } from './shapes.ts';
import { recurrenceState } from './states.ts';

const frequencies: Readonly<Record<string, string>> = {
  WEEKLY: 'SEMANAL',
  MONTHLY: 'MENSAL',
  QUARTERLY: 'TRIMESTRAL',
  SEMIANNUAL: 'SEMESTRAL',
  ANNUAL: 'ANUAL',
};
/** Maximum length of `contrato` and `objeto`. */
const contractLength = 35;

const unknown = { outcome: 'UNKNOWN' } as const;

/** Returns the state of a rec whose facts match the request. @throws Error for another rec */
function statesOf(client: Connected['client']) {
  return (asked: Facts, at: Instant) =>
    (rec: Rec): OpenedRecurrence => {
      requireAbout(client, asked, recFacts(rec));
      return recurrenceState(rec, at, client);
    };
}

/**
 * Recs. The bank takes no reference of ours for a rec, but a location takes only one rec. So the location is created
 * and stored first, and every repetition requests a rec at the same location.
 */
export function apiPixRecurrences(connected: Connected): UncheckedRecurrences {
  const { client, recurrences: memory } = connected;

  const stateOf = statesOf(client);
  const readRec = async (idRec: string, { at, signal }: CallContext, opening: Opening = { terms: {} }) => {
    const query = opening.txid === undefined ? '' : `?txid=${bankId(opening.txid)}`;
    const callOutcome = await client.question({ method: 'GET', path: `/v2/rec/${idRec}${query}`, signal });
    return foundOf(client, callOutcome, RecBody, stateOf({ ...opening.terms, idRec }, at));
  };

  const makeLocation = async (
    { reference }: RecurrenceOrder,
    { at, signal }: CallContext,
  ): Promise<CommandOutcome<RecurrenceLocation>> => {
    const callOutcome = await client.command({ method: 'POST', path: '/v2/locrec', signal });
    const created = outcomeOf(client, callOutcome, LocRecBody, ({ id }): RecurrenceLocation => ({ id, createdAt: at }));
    return created.outcome === 'DONE' ? { ...created, state: await memory.keep(reference, created.state) } : created;
  };

  const openAt = async (order: RecurrenceOrder, location: RecurrenceLocation, context: CallContext) => {
    const body = bodyOf(connected, order, location);
    const callOutcome = await client.command({ method: 'POST', path: '/v2/rec', body, signal: context.signal });
    const opening = openingOf(order, location);
    const created = outcomeOf(client, callOutcome, RecBody, (rec) => {
      requireAbout(client, opening.terms, recFacts(rec));
      return rec.idRec;
    });
    if (created.outcome !== 'DONE') return created;
    await memory.opened(order.reference, created.state);
    // Only the response to this read has the QR code.
    return afterOpening(await readRec(created.state, context, opening));
  };

  return {
    open: {
      submit: (order, context) =>
        unlessNotConnected(async () => {
          const location = await memory.read(order.reference);
          if (location?.idRec !== undefined)
            return afterOpening(await readRec(location.idRec, context, openingOf(order, location)));
          if (location !== undefined) return openAt(order, location, context);
          const created = await makeLocation(order, context);
          return created.outcome === 'DONE' ? openAt(order, created.state, context) : created;
        }),
      find: async (order, context) => {
        const location = await memory.read(order.reference);
        if (location === undefined) return { outcome: 'NEVER_SEEN' };
        const idRec = location.idRec ?? (await recOf(connected, order, location, context));
        if (typeof idRec === 'object') return idRec;
        if (location.idRec === undefined) await memory.opened(order.reference, idRec);
        return readRec(idRec, context, openingOf(order, location));
      },
    },
    cancel: {
      submit: async ({ recurrenceId }, { at, signal }) => {
        const request = {
          method: 'PATCH',
          path: `/v2/rec/${recurrenceId}`,
          body: { status: 'CANCELADA' },
          signal,
        } as const;
        return outcomeOf(client, await client.command(request), RecBody, stateOf({ idRec: recurrenceId }, at));
      },
      find: async ({ recurrenceId }, context) => {
        const found = await readRec(recurrenceId, context);
        return found.outcome === 'DONE' && !isFinalRecurrence(found.state) ? { outcome: 'NEVER_SEEN' } : found;
      },
    },
    read: ({ recurrenceId }, context) => readRec(recurrenceId, context),
  };
}

/**
 * Turns `NEVER_SEEN` for a rec that was just opened into `UNKNOWN`: the bank's reads lag behind its writes. `NOT_NOW`
 * becomes `UNKNOWN`, too: the rec exists.
 */
function afterOpening<State>(found: FoundCommand<State>): CommandOutcome<State> {
  return found.outcome === 'NEVER_SEEN' || found.outcome === 'NOT_NOW' ? unknown : found;
}

/** Facts that a reply about an opened rec must match. `txid`: of the cob in the same QR code. */
type Opening = { readonly terms: Facts; readonly txid?: string };

function openingOf(order: RecurrenceOrder, location: RecurrenceLocation): Opening {
  const { debtor, startDate, endDate, fixedAmount, maxAmountFloor, firstChargeTxid } = order;
  const terms = {
    contrato: contratoOf(order),
    devedor: debtor.document.number,
    loc: location.id,
    dataInicial: startDate,
    dataFinal: endDate,
    periodicidade: frequencies[order.frequencyType],
    politicaRetentativa: policyOf(order),
    valorRec: fixedAmount,
    valorMinimoRecebedor: fixedAmount === undefined ? maxAmountFloor : undefined,
  };
  return { terms, ...(firstChargeTxid !== undefined && { txid: firstChargeTxid }) };
}

function contratoOf({ externalId, reference }: RecurrenceOrder): string {
  return externalId.length <= contractLength ? externalId : bankId(reference);
}

function policyOf({ allowChargeAfterDueDate }: RecurrenceOrder): string {
  return allowChargeAfterDueDate ? 'PERMITE_3R_7D' : 'NAO_PERMITE';
}

function bodyOf(connected: Connected, order: RecurrenceOrder, location: RecurrenceLocation): object {
  const { debtor, description, startDate, endDate, fixedAmount, maxAmountFloor } = order;
  const { convenio } = efiAccount(connected, { id: order.accountId });
  return {
    vinculo: {
      contrato: contratoOf(order),
      devedor: { ...documentField(debtor.document), nome: firstOf(debtor.name, 140) },
      ...(description !== undefined && description !== '' && { objeto: description.slice(0, contractLength) }),
    },
    calendario: {
      dataInicial: startDate,
      ...(endDate !== undefined && { dataFinal: endDate }),
      periodicidade: frequencies[order.frequencyType],
    },
    politicaRetentativa: policyOf(order),
    ...(fixedAmount !== undefined && { valor: { valorRec: formatAmount(fixedAmount) } }),
    ...(fixedAmount === undefined &&
      maxAmountFloor !== undefined && { valor: { valorMinimoRecebedor: formatAmount(maxAmountFloor) } }),
    loc: location.id,
    ...(convenio !== undefined && { recebedor: { convenio } }),
    ...(order.firstChargeTxid !== undefined && { ativacao: { dadosJornada: { txid: bankId(order.firstChargeTxid) } } }),
  };
}

/** Margin of the list's window: the clocks of bank and service may differ. */
const marginSeconds = 600;

/**
 * Returns the `idRec` of the rec at our location: from the location, else from the list of the debtor's recs. Returns
 * an outcome when there is none or it is not known.
 */
async function recOf(
  { client }: Connected,
  { debtor }: RecurrenceOrder,
  location: RecurrenceLocation,
  { at, signal }: CallContext,
): Promise<string | Exclude<FoundCommand<never>, { readonly outcome: 'DONE' }>> {
  const asked = await client.question({ method: 'GET', path: `/v2/locrec/${location.id}`, signal });
  const known = foundOf(client, asked, LocRecBody, (found) => {
    requireAbout(client, { loc: location.id }, { loc: found.id });
    return found;
  });
  if (known.outcome !== 'DONE') return known.outcome === 'NEVER_SEEN' ? unknown : known;
  if (known.state.idRec !== undefined) return known.state.idRec;
  const window = new URLSearchParams({
    inicio: plusSeconds(location.createdAt, -marginSeconds),
    fim: plusSeconds(at, marginSeconds),
    ...documentField(debtor.document),
    'paginacao.itensPorPagina': '1000',
  });
  const page = await client.question({ method: 'GET', path: `/v2/rec?${window.toString()}`, signal });
  const listed = foundOf(client, page, RecsBody, ({ recs }) => recs);
  if (listed.outcome !== 'DONE') return listed.outcome === 'NEVER_SEEN' ? unknown : listed;
  const own = listed.state.find(({ loc }) => loc?.id === location.id);
  return own?.idRec ?? { outcome: 'NEVER_SEEN' };
}
