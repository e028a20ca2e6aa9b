import classes from './share-bar.module.css';

/** One part of a whole. `text`: its amount, formatted. */
export interface Share {
  readonly name: string;
  readonly amount: number;
  readonly text: string;
}

interface ShareBarProps {
  /** Names the whole for screen readers. */
  readonly label: string;
  /** At most four; parts without an amount are left out. */
  readonly shares: readonly Share[];
}

/** Shows the parts of a whole as one bar, with a legend. */
export function ShareBar({ label, shares }: ShareBarProps) {
  const total = shares.reduce((sum, { amount }) => sum + amount, 0);
  if (total <= 0) return null;
  const present = shares
    .map((share, place) => ({ ...share, place }))
    .filter(({ amount }) => amount > 0);
  return (
    <div className={classes['shares']}>
      <div className={classes['bar']} aria-hidden>
        {present.map(({ name, amount, place }) => (
          <span key={name} data-place={place} style={{ flexGrow: amount / total }} />
        ))}
      </div>
      <ul className={classes['legend']} aria-label={label}>
        {present.map(({ name, text, amount, place }) => (
          <li key={name} data-place={place}>
            {name} <b>{text}</b> <span>{formatShare(amount / total)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function formatShare(share: number): string {
  const percent = Math.round(share * 100);
  return percent < 1 ? '< 1 %' : `${percent} %`;
}
