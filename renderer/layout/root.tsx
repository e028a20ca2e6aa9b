import { Outlet, useLocation } from '@tanstack/react-router';
import { Layout } from './layout.tsx';

/** Wraps every screen in the layout, except the quick chat window, which is too small for it. */
export function Root() {
  const { pathname } = useLocation();
  return pathname === '/quick' ? <Outlet /> : <Layout />;
}
