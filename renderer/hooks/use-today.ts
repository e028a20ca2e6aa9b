import { useEffect, useState } from 'react';

const CHECK_MS = 60_000;

/** Returns the start of the local day in Unix milliseconds, updated within a minute of midnight. */
export function useToday(): number {
  const [day, setDay] = useState(midnight);
  useEffect(() => {
    const timer = setInterval(() => setDay(midnight()), CHECK_MS);
    return () => clearInterval(timer);
  }, []);
  return day;
}

function midnight(): number {
  return new Date().setHours(0, 0, 0, 0);
}
