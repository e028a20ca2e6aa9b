import { useEffect, useState } from 'react';
import { formatDuration } from '../../../../../shared/format.ts';
import classes from './answer.module.css';

const TOLD_AFTER_MS = 5_000;
const TICK_MS = 1_000;

/** Shows that a model was asked and has not answered yet. `since` in Unix milliseconds. */
export function Waiting({ since }: { readonly since: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const waited = Math.floor((now - since) / TICK_MS) * TICK_MS;
  return (
    <div className={classes['waiting']}>
      <span className={classes['dots']} aria-hidden>
        <i />
        <i />
        <i />
      </span>
      {waited >= TOLD_AFTER_MS && (
        <span data-figures>Waiting for {formatDuration(waited).replace('.0', '')}</span>
      )}
    </div>
  );
}
