import { Button } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { FindingAction } from '../../../shared/doctor/finding.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import { toHistorySearch } from '../../format/history-search.ts';

const ButtonLink = createLink(Button<'a'>);
const LOOK = { component: 'a', size: 'compact-sm', variant: 'default' } as const;

/** Leads to the place where a finding is mended. */
export function FindingButton({ action }: { readonly action: FindingAction }) {
  switch (action.kind) {
    case 'services':
      return (
        <ButtonLink {...LOOK} to="/settings" search={{ setting: 'Services' }}>
          Open Services
        </ButtonLink>
      );
    case 'retention':
      return (
        <ButtonLink {...LOOK} to="/settings" search={{ setting: 'History' }}>
          Open History settings
        </ButtonLink>
      );
    case 'clients':
      return (
        <ButtonLink {...LOOK} to="/clients">
          Open Clients
        </ButtonLink>
      );
    case 'videos':
      return (
        <ButtonLink {...LOOK} to="/videos">
          Open Videos
        </ButtonLink>
      );
    case 'connect':
      return (
        <ButtonLink {...LOOK} to="/clients" search={{ connect: true, program: action.program }}>
          Connect again
        </ButtonLink>
      );
    case 'failures':
      return (
        <ButtonLink
          {...LOOK}
          to="/history"
          search={toHistorySearch({ clients: [toPattern(action.client)], failed: true })}
        >
          Show failed requests
        </ButtonLink>
      );
    case 'repairs':
      return (
        <ButtonLink
          {...LOOK}
          to="/history"
          search={toHistorySearch({ clients: [toPattern(action.client)], repaired: true })}
        >
          Show repaired requests
        </ButtonLink>
      );
  }
}
