import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  useLocation,
  Outlet,
} from '@tanstack/react-router';
import { ErrorScreen } from './layout/error-screen.tsx';
import { NotFound } from './layout/not-found.tsx';
import { oneOf, readFlag, searchReader, textUpTo } from './search-params.ts';
import { readChatSearch, readQuickSearch } from './screens/chat/search.ts';
import { readCompareSearch } from './screens/history/compare/search.ts';
import { readHistorySearch } from './screens/history/search.ts';
import { readRunsSearch } from './screens/runs/search.ts';
import { readReconcileSearch } from './screens/usage/reconcile/search.ts';
import { readUsageSearch } from './screens/usage/search.ts';
import { readNewVideoSearch, readVideosSearch } from './screens/videos/search.ts';
import { Home } from './screens/home/home.tsx';
import { Layout } from './layout/layout.tsx';

/** The orders of the models, as their screen names them. */
const MODEL_SORTS = ['name', 'used', 'context'] as const;

/** Maximum length of a text or name in the address. */
const MAX_LENGTH = 2_000;

const root = createRootRoute({ component: Root });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: Home,
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(
    withStyles(() => import('./screens/welcome/welcome.tsx')),
    'Welcome',
  ),
});

const chat = createRoute({
  getParentRoute: () => root,
  path: '/chat',
  validateSearch: readChatSearch,
  component: lazyRouteComponent(
    withStyles(() => import('./screens/chat/chat.tsx')),
    'Chat',
  ),
});

const quick = createRoute({
  getParentRoute: () => root,
  path: '/quick',
  validateSearch: readQuickSearch,
  component: lazyRouteComponent(
    withStyles(() => import('./screens/quick/quick.tsx')),
    'Quick',
  ),
});

const models = createRoute({
  getParentRoute: () => root,
  path: '/models',
  validateSearch: searchReader({
    find: textUpTo(MAX_LENGTH),
    model: textUpTo(MAX_LENGTH),
    sort: oneOf(MODEL_SORTS),
  }),
  component: lazyRouteComponent(
    withStyles(() => import('./screens/models/models.tsx')),
    'Models',
  ),
});

const history = createRoute({
  getParentRoute: () => root,
  path: '/history',
  validateSearch: readHistorySearch,
  component: lazyRouteComponent(
    withStyles(() => import('./screens/history/history.tsx')),
    'History',
  ),
});

const runs = createRoute({
  getParentRoute: () => root,
  path: '/history/runs',
  validateSearch: readRunsSearch,
  component: lazyRouteComponent(
    withStyles(() => import('./screens/runs/runs.tsx')),
    'Runs',
  ),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: '/history/compare',
  validateSearch: readCompareSearch,
  component: lazyRouteComponent(
    withStyles(() => import('./screens/history/compare/compare.tsx')),
    'Compare',
  ),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: readUsageSearch,
  component: lazyRouteComponent(
    withStyles(() => import('./screens/usage/usage.tsx')),
    'Usage',
  ),
});

const reconcile = createRoute({
  getParentRoute: () => root,
  path: '/usage/reconcile',
  validateSearch: readReconcileSearch,
  component: lazyRouteComponent(
    withStyles(() => import('./screens/usage/reconcile/reconcile.tsx')),
    'Reconcile',
  ),
});

const videos = createRoute({
  getParentRoute: () => root,
  path: '/videos',
  validateSearch: readVideosSearch,
  component: lazyRouteComponent(
    withStyles(() => import('./screens/videos/videos.tsx')),
    'Videos',
  ),
});

const newVideo = createRoute({
  getParentRoute: () => root,
  path: '/videos/new',
  validateSearch: readNewVideoSearch,
  component: lazyRouteComponent(
    withStyles(() => import('./screens/videos/new/new-video.tsx')),
    'NewVideo',
  ),
});

const clients = createRoute({
  getParentRoute: () => root,
  path: '/clients',
  validateSearch: searchReader({
    client: textUpTo(MAX_LENGTH),
    limit: textUpTo(MAX_LENGTH),
    model: textUpTo(MAX_LENGTH),
    add: readFlag,
    connect: readFlag,
    program: textUpTo(MAX_LENGTH),
  }),
  component: lazyRouteComponent(
    withStyles(() => import('./screens/clients/clients.tsx')),
    'Clients',
  ),
});

const prices = createRoute({
  getParentRoute: () => root,
  path: '/prices',
  validateSearch: searchReader({
    model: textUpTo(MAX_LENGTH),
    service: textUpTo(MAX_LENGTH),
    recost: readFlag,
  }),
  component: lazyRouteComponent(
    withStyles(() => import('./screens/prices/prices.tsx')),
    'Prices',
  ),
});

const doctor = createRoute({
  getParentRoute: () => root,
  path: '/doctor',
  component: lazyRouteComponent(
    withStyles(() => import('./screens/doctor/doctor.tsx')),
    'Doctor',
  ),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: searchReader({ setting: textUpTo(MAX_LENGTH) }),
  component: lazyRouteComponent(
    withStyles(() => import('./screens/settings/settings.tsx')),
    'SettingsScreen',
  ),
});

const tree = root.addChildren([
  home,
  welcome,
  chat,
  quick,
  models,
  history,
  runs,
  compare,
  usage,
  reconcile,
  videos,
  newVideo,
  clients,
  prices,
  doctor,
  settings,
]);

/**
 * Adds the styles that Home does not need to a screen. They are requested before the screen's own, which override them.
 */
function withStyles<Screen>(load: () => Promise<Screen>): () => Promise<Screen> {
  return async () => {
    const styles = import('./styles/more.css');
    const screen = load();
    await styles;
    return await screen;
  };
}

/** The screens and their paths. An unknown path has a page that says so. */
export function createAppRouter() {
  return createRouter({
    routeTree: tree,
    defaultPreload: 'intent',
    defaultErrorComponent: ErrorScreen,
    defaultNotFoundComponent: NotFound,
  });
}

/** The router of the window. */
export type AppRouter = ReturnType<typeof createAppRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter;
  }
}

/** Wraps every screen in the layout, except the quick chat window, which is too small for it. */
function Root() {
  const { pathname } = useLocation();
  return pathname === '/quick' ? <Outlet /> : <Layout />;
}
