/** Entry of the panel's page: registers the elements; `<kw-panel>` in the page does the rest. */
import './panel.css';
import { CardElement } from './card.ts';
import { DrawerElement } from './drawer.ts';
import { PanelElement } from './panel.ts';
import { registerToolkit } from './toolkit.ts';
import { TreeElement } from './tree.ts';

registerToolkit();
customElements.define('kw-card', CardElement);
customElements.define('kw-tree', TreeElement);
customElements.define('kw-drawer', DrawerElement);
customElements.define('kw-panel', PanelElement);
