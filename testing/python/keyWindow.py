"""A GTK window without a text field. Pressed keys are written to the file named by the first argument, as characters."""

import os
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gtk  # noqa: E402

path = sys.argv[1]
text = ""


def save():
    with open(path + ".part", "w", newline="") as file:
        file.write(text)
    os.rename(path + ".part", path)


def handle_key(_controller, keyval, _keycode, _state):
    global text
    code = Gdk.keyval_to_unicode(keyval)
    if code:
        text += chr(code)
        save()
    return True


def activate(app):
    area = Gtk.DrawingArea(focusable=True)
    controller = Gtk.EventControllerKey()
    controller.connect("key-pressed", handle_key)
    area.add_controller(controller)
    window = Gtk.ApplicationWindow(application=app, title="key window", child=area)
    window.set_default_size(600, 400)
    window.present()
    area.grab_focus()
    save()


app = Gtk.Application(application_id="org.pegboard.KeyWindow")
app.connect("activate", activate)
app.run([])
