import type { ComponentChildren } from 'preact';
import type { OperationId } from '#console/protocol.ts';
import { t } from '../language.ts';
import { Load } from '../loading.tsx';
import { go, linkTo, route } from '../route.ts';
import type { Column, Row } from './table.tsx';
import { Table } from './table.tsx';
import { Curl, Nothing } from './basics.tsx';
import { valueTo } from './inputs.tsx';

type Filter = { label: string; field: string };

/** The value of a filter in the address, and a setter that returns to the first page. */
function filterOf(field: string): readonly [value: string, set: (value: string) => void] {
  const { screen, query } = route.value;
  const set = (value: string): void => {
    go(linkTo([screen], { ...query, cursor: '', skip: '', [field]: value.trim() }));
  };
  return [query[field] ?? '', set];
}

type ChoiceProps = Filter & {
  from: readonly string[];
  /** Label of the choice that does not filter. */
  all?: string;
  /** Labels by value; a value without a label is shown itself. */
  names?: Readonly<Record<string, string>>;
};

/** A filter by one of several values, or by none. */
export function Choice({ label, field, from, all = t().basics.all, names = {} }: ChoiceProps) {
  const [value, set] = filterOf(field);
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={valueTo(set)}>
        <option value="">{all}</option>
        {from.map((choice) => (
          <option key={choice} value={choice}>
            {names[choice] ?? choice}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A filter by a text. */
export function Written({ label, field, placeholder }: Filter & { placeholder?: string }) {
  const [value, set] = filterOf(field);
  return (
    <label>
      {label} <input value={value} placeholder={placeholder} onChange={valueTo(set)} />
    </label>
  );
}

type ListingProps<T> = {
  name: string;
  columns: readonly Column[];
  operation: OperationId;
  read: (query: Readonly<Record<string, string>>) => Promise<Page<T>>;
  row: (item: T) => Row;
  /** Shown while nothing is found. */
  empty: ComponentChildren;
  /** Filters. */
  children: ComponentChildren;
};
type Page<T> = { readonly data: readonly T[]; readonly nextCursor: string | null };

/** Shows a list with its filters: one page, the link to the next page, and the request. */
export function Listing<T>({ name, columns, operation, read, row, empty, children }: ListingProps<T>) {
  const { companyId, screen, query } = route.value;
  const asked = { operation, query: { limit: '25', ...query } };
  return (
    <>
      <div class="filters" role="group" aria-label={t().basics.filters}>
        {children}
      </div>
      <Load name={JSON.stringify([companyId, screen, query])} read={() => read(asked.query)}>
        {({ data, nextCursor }, isStale) => (
          <>
            {data.length > 0 && <Table name={name} columns={columns} rows={data.map(row)} />}
            {data.length === 0 && !isStale && <Nothing>{nextCursor === null ? empty : t().basics.noneOnPage}</Nothing>}
            {nextCursor !== null && <a href={linkTo([screen], { ...query, cursor: nextCursor })}>{t().basics.older}</a>}
            <Curl of={asked} label={t().basics.listAsCurl} />
          </>
        )}
      </Load>
    </>
  );
}
