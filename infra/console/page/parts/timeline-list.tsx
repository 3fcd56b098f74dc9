import { showInstant } from '../format.ts';
import { linkTo } from '../place.ts';
import type { Step } from '../timeline.ts';
import { Curl, Status } from './basics.tsx';

/** Everything that happened, oldest first. */
export function TimelineList({ steps }: { steps: readonly Step[] }) {
  return (
    <section aria-label="Timeline">
      <h2>Timeline</h2>
      <ol class="timeline">
        {steps.map(({ at, kind, title, status, detail, link, asked }, place) => (
          <li key={place}>
            <time dateTime={at}>{showInstant(at)}</time>
            <span class="kind">{kind}</span>
            <span class="what">
              {link === undefined ? title : <a href={linkTo(link)}>{title}</a>}{' '}
              {status !== undefined && <Status of={status} />} {detail !== undefined && <small>{detail}</small>}
            </span>
            <Curl of={asked} />
          </li>
        ))}
      </ol>
    </section>
  );
}
