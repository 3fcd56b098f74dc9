import { problem, Refusal } from '../refusal.ts';
import type { Violation } from '../refusal.ts';
import type { Operation, Session } from '../session.ts';
import { readInstant } from '../time.ts';
import type { Instant } from '../time.ts';

/** A list of API Pix, with a window of time, filters and pages. */
type List<T> = {
  readonly path: string;
  readonly scope: string;
  /** Error code of its refusals. */
  readonly code: string;
  /** Put before the names of parameters in violations. */
  readonly root?: string;
  /** Name of the list in the response: `cobs`, `pix`, … */
  readonly member: string;
  readonly read: (session: Session) => readonly T[];
  readonly at: (item: T) => Instant;
  /** Filters by the name of the parameter. */
  readonly filters: Readonly<Record<string, (item: T, value: string) => boolean>>;
  readonly view: (session: Session, item: T) => object;
};

/** Accepted values of each filter (API Pix). */
const filterShapes: Readonly<Record<string, RegExp>> = {
  cpf: /^\d{11}$/u,
  cnpj: /^[0-9A-Z]{14}$/u,
  txid: /^[a-zA-Z0-9]{26,35}$/u,
  idRec: /^[a-zA-Z0-9]{29}$/u,
  convenio: /^.{1,60}$/su,
  status: /^[A-Z_]{1,40}$/u,
  txIdPresente: /^(?:true|false)$/u,
  devolucaoPresente: /^(?:true|false)$/u,
  locationPresente: /^(?:true|false)$/u,
};

const defaultPageSize = 100;
const maxPageSize = 1000;

/**
 * `GET` of a list: `inicio` and `fim` (RFC 3339), the list's filters, `paginacao.paginaAtual` from 0 and
 * `paginacao.itensPorPagina` up to 1000.
 */
export function listOperation<T>(list: List<T>): Operation {
  return {
    method: 'GET',
    path: list.path,
    scope: list.scope,
    run: (session, { query }) => {
      const { from, to, page, size } = readWindow(query, list);
      const chosen = Object.entries(list.filters).filter(([name]) => query.has(name));
      const items = list
        .read(session)
        .filter((item) => from <= list.at(item) && list.at(item) <= to)
        .filter((item) => chosen.every(([name, holds]) => holds(item, query.get(name) ?? '')));
      const paginacao = {
        paginaAtual: page,
        itensPorPagina: size,
        quantidadeDePaginas: Math.max(1, Math.ceil(items.length / size)),
        quantidadeTotalDeItens: items.length,
      };
      const named = Object.fromEntries(chosen.map(([name]) => [name, parameter(name, query.get(name) ?? '')]));
      const parametros = { inicio: query.get('inicio'), fim: query.get('fim'), ...named, paginacao };
      const views = items.slice(page * size, (page + 1) * size).map((item) => list.view(session, item));
      return { status: 200, body: { parametros, [list.member]: views } };
    },
  };
}

function parameter(name: string, text: string): string | boolean {
  return name.endsWith('Presente') ? text === 'true' : text;
}

/** @throws Refusal 400 of the list's code. */
function readWindow(
  query: URLSearchParams,
  { code, filters, root = '' }: Pick<List<never>, 'code' | 'filters' | 'root'>,
) {
  const from = readInstant(query.get('inicio') ?? '');
  const to = readInstant(query.get('fim') ?? '');
  const page = readWhole(query.get('paginacao.paginaAtual') ?? '0');
  const size = readWhole(query.get('paginacao.itensPorPagina') ?? String(defaultPageSize));
  const wrong = (name: string): Violation[] => [
    {
      propriedade: `${root}${name}`,
      razao: `O parâmetro ${name} não respeita o schema.`,
      valor: query.get(name) ?? '',
    },
  ];
  const violations = [
    ...(from === undefined ? wrong('inicio') : []),
    ...(to === undefined ? wrong('fim') : []),
    ...(page === undefined ? wrong('paginacao.paginaAtual') : []),
    ...(size === undefined || size < 1 || size > maxPageSize ? wrong('paginacao.itensPorPagina') : []),
    ...Object.keys(filters)
      .filter((name) => query.has(name) && filterShapes[name]?.test(query.get(name) ?? '') !== true)
      .flatMap(wrong),
    ...(query.has('cpf') && query.has('cnpj')
      ? [{ propriedade: `${root}cpf`, razao: 'Ambos os parâmetros cpf e cnpj estão preenchidos.' }]
      : []),
    ...(from !== undefined && to !== undefined && to < from
      ? [
          {
            propriedade: `${root}fim`,
            razao: 'O timestamp representado pelo parâmetro fim é anterior ao do parâmetro inicio.',
          },
        ]
      : []),
  ];
  if (violations.length > 0 || from === undefined || to === undefined || page === undefined || size === undefined)
    throw new Refusal(problem(400, code, 'Os parâmetros de consulta não são válidos.', violations));
  return { from, to, page, size };
}

function readWhole(text: string): number | undefined {
  return /^\d{1,9}$/u.test(text) ? Number(text) : undefined;
}
