import { Outlet, useLocation } from '@tanstack/react-router';
import { Layout } from './layout.tsx';

/** Every screen stands in the frame, but for the small window's, which has no room for it. */
export function Root() {
  const { pathname } = useLocation();
  return pathname === '/quick' ? <Outlet /> : <Layout />;
}
