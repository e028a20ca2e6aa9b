export { routeLabel } from '../../shared/exchange/route-label.ts';
