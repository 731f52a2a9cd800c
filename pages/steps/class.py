"""A class: open one and lead it, or join one by its code. The browser draws it, below the bar."""  # noqa: N999 - the address of the page
