import { centavos } from '#shared/core/money.ts';
import type { DayOfDeliveries, DayOfMoney } from '../figures.ts';
import { showAmount, showDate } from '../format.ts';
import { t } from '../language.ts';
import { Nothing } from './basics.tsx';

/** A day of a plot: its bars, each with a height and a colour, and the cells of its row in the table. */
type Day = {
  readonly day: string;
  readonly bars: readonly { readonly value: number; readonly kind: string }[];
  readonly cells: readonly string[];
};
type PlotProps = {
  name: string;
  columns: readonly string[];
  kinds: readonly (readonly [kind: string, name: string])[];
  days: readonly Day[];
  /** Formats a height. */
  show: (value: number) => string;
  /** Stacks the bars of a day instead of placing them side by side. */
  isStacked?: boolean;
};

const width = 560;
const height = 150;
const foot = 20;
const head = 16;

/** Shows bars by day, and the numbers as a table for screen readers and all others. */
function Plot({ name, columns, kinds, days, show, isStacked = false }: PlotProps) {
  const tallest = Math.max(
    1,
    ...days.map(({ bars }) =>
      isStacked ? bars.reduce((sum, { value }) => sum + value, 0) : Math.max(...bars.map(({ value }) => value)),
    ),
  );
  const step = width / Math.max(days.length, 7);
  return (
    <figure class="plot">
      <svg viewBox={`0 0 ${String(width)} ${String(height)}`} aria-hidden="true">
        <path class="axis" d={`M0 ${String(head)}H${String(width)}M0 ${String(height - foot)}H${String(width)}`} />
        <text x="0" y={head - 5}>
          {show(tallest)}
        </text>
        {days.map((day, at) => (
          <DayBars key={day.day} of={day} from={at * step} step={step} tallest={tallest} isStacked={isStacked} />
        ))}
      </svg>
      <figcaption>
        {kinds.map(([kind, label]) => (
          <span key={kind} class={`legend ${kind}`}>
            {label}
          </span>
        ))}
        <Numbers name={name} columns={columns} days={days} />
      </figcaption>
    </figure>
  );
}

type DayBarsProps = { of: Day; from: number; step: number; tallest: number; isStacked: boolean };

function DayBars({ of: { day, bars, cells }, from, step, tallest, isStacked }: DayBarsProps) {
  const plotHeight = height - foot - head;
  const wide = Math.min((step - 8) / (isStacked ? 1 : bars.length), 26);
  let below = height - foot;
  return (
    <g>
      <title>{[showDate(day), ...cells].join(' · ')}</title>
      {bars.map(({ value, kind }, at) => {
        const tall = value === 0 ? 0 : Math.max(2, (value / tallest) * plotHeight);
        const top = (isStacked ? below : height - foot) - tall;
        if (isStacked) below = top;
        const left = from + 4 + (isStacked ? 0 : at * wide);
        return <rect key={kind} class={kind} x={left} y={top} width={wide - 1} height={tall} rx="1.5" />;
      })}
      <text x={from + 4} y={height - 6}>
        {showDate(day).slice(0, 5)}
      </text>
    </g>
  );
}

function Numbers({ name, columns, days }: Pick<PlotProps, 'name' | 'columns' | 'days'>) {
  return (
    <details>
      <summary>{t().home.asTable}</summary>
      <div class="table" role="group" tabIndex={0} aria-label={name}>
        <table>
          <thead>
            <tr>
              {[t().columns.day, ...columns].map((heading) => (
                <th key={heading} scope="col">
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, cells }) => (
              <tr key={day}>
                <td>{showDate(day)}</td>
                {cells.map((cell, at) => (
                  <td key={at}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

export function MoneyPlot({ of }: { of: readonly DayOfMoney[] }) {
  const { home } = t();
  if (of.every(({ moneyIn, moneyOut }) => moneyIn + moneyOut === 0)) return <Nothing>{home.noMoney}</Nothing>;
  const show = (value: number): string => showAmount(centavos(value));
  return (
    <Plot
      name={home.money}
      columns={[home.moneyIn, home.moneyOut]}
      kinds={[
        ['in', home.moneyIn],
        ['out', home.moneyOut],
      ]}
      show={show}
      days={of.map(({ day, moneyIn, moneyOut }) => ({
        day,
        bars: [
          { value: moneyIn, kind: 'in' },
          { value: moneyOut, kind: 'out' },
        ],
        cells: [show(moneyIn), show(moneyOut)],
      }))}
    />
  );
}

/** Formats a duration as `850 ms` or `12 s`. */
function showSpan(ms: number | undefined): string {
  if (ms === undefined) return '–';
  return ms < 1000 ? `${String(ms)} ms` : `${String(Math.round(ms / 1000))} s`;
}

export function DeliveryPlot({ of }: { of: readonly DayOfDeliveries[] }) {
  const { home } = t();
  const last = of.at(-1);
  if (last === undefined) return <Nothing>{home.noDelivery}</Nothing>;
  return (
    <>
      <Plot
        name={home.deliveries}
        columns={[home.delivered, home.waiting, home.notDelivered, home.median]}
        kinds={[
          ['in', home.delivered],
          ['waits', home.waiting],
          ['bad', home.notDelivered],
        ]}
        show={String}
        isStacked
        days={of.map(({ day, delivered, waiting, failed, medianMs }) => ({
          day,
          bars: [
            { value: delivered, kind: 'in' },
            { value: waiting, kind: 'waits' },
            { value: failed, kind: 'bad' },
          ],
          cells: [...[delivered, waiting, failed].map(String), showSpan(medianMs)],
        }))}
      />
      <p class="quiet">{home.medianIs(showSpan(last.medianMs))}</p>
    </>
  );
}
