import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  useLocation,
  Outlet,
} from '@tanstack/react-router';
import { z } from 'zod';
import { ErrorScreen } from './layout/error-screen.tsx';

import { ChatSearch } from './screens/chat/search.ts';
import { HistorySearch } from './screens/history/search.ts';
import { NewVideoSearch, VideosSearch } from './screens/videos/search.ts';
import { Layout } from './layout/layout.tsx';

const root = createRootRoute({ component: Root });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/home/home.tsx'), 'Home'),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./screens/welcome/welcome.tsx'), 'Welcome'),
});

const chat = createRoute({
  getParentRoute: () => root,
  path: '/chat',
  validateSearch: ChatSearch,
  component: lazyRouteComponent(() => import('./screens/chat/chat.tsx'), 'Chat'),
});

const quick = createRoute({
  getParentRoute: () => root,
  path: '/quick',
  validateSearch: ChatSearch.pick({ c: true }),
  component: lazyRouteComponent(() => import('./screens/quick/quick.tsx'), 'Quick'),
});

const models = createRoute({
  getParentRoute: () => root,
  path: '/models',
  validateSearch: z.object({
    find: z.string().optional().catch(undefined),
    model: z.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./screens/models/models.tsx'), 'Models'),
});

const history = createRoute({
  getParentRoute: () => root,
  path: '/history',
  validateSearch: HistorySearch,
  component: lazyRouteComponent(() => import('./screens/history/history.tsx'), 'History'),
});

const videos = createRoute({
  getParentRoute: () => root,
  path: '/videos',
  validateSearch: VideosSearch,
  component: lazyRouteComponent(() => import('./screens/videos/videos.tsx'), 'Videos'),
});

const newVideo = createRoute({
  getParentRoute: () => root,
  path: '/videos/new',
  validateSearch: NewVideoSearch,
  component: lazyRouteComponent(() => import('./screens/videos/new/new-video.tsx'), 'NewVideo'),
});

const clients = createRoute({
  getParentRoute: () => root,
  path: '/clients',
  validateSearch: z.object({ client: z.string().optional().catch(undefined) }),
  component: lazyRouteComponent(() => import('./screens/clients/clients.tsx'), 'Clients'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('./screens/settings/settings.tsx'), 'SettingsScreen'),
});

const tree = root.addChildren([
  home,
  welcome,
  chat,
  quick,
  models,
  history,
  videos,
  newVideo,
  clients,
  settings,
]);

/** The screens and their paths. An unknown path redirects to Home. */
export function createAppRouter() {
  return createRouter({
    routeTree: tree,
    defaultPreload: 'intent',
    defaultErrorComponent: ErrorScreen,
    defaultNotFoundComponent: () => <Navigate to="/" />,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}

/** Wraps every screen in the layout, except the quick chat window, which is too small for it. */
function Root() {
  const { pathname } = useLocation();
  return pathname === '/quick' ? <Outlet /> : <Layout />;
}
