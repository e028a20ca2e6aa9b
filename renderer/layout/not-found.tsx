import { Anchor } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { EmptyState } from '../components/states/empty-state.tsx';

/** The page of an address that does not exist. */
export function NotFound() {
  const { pathname } = useLocation();
  return (
    <EmptyState icon={IconMapOff} title="Page not found">
      There is no page at {pathname}. Go to{' '}
      <Anchor component={Link} to="/" inherit>
        Home
      </Anchor>
      , or look for it with “Go to…”.
    </EmptyState>
  );
}
