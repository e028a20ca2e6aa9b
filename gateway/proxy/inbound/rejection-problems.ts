import { Problem } from '../../../shared/problem.ts';

export function pausedProblem(): Problem {
  return new Problem(
    'paused',
    'Gatehouse is paused. Nothing was sent. Resume it in its tray menu or its window.',
  );
}

export function shuttingDownProblem(): Problem {
  return new Problem(
    'shutting_down',
    'Gatehouse is shutting down. Nothing was sent; try again when it runs.',
  );
}

export function serviceChangedProblem(): Problem {
  return new Problem(
    'service_changed',
    'Another service, or another service key, was chosen while this request waited for its turn. Nothing was sent; send it again.',
  );
}
