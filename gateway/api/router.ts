export { router } from './procedures/router.ts';
